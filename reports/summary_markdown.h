#pragma once

#include <string>

#include "reports/markdown_text.h"
#include "reports/summary.h"

namespace flashgate::reports {

/// The summary as Markdown, worst first and shorter than kMostMarkdown; what does not fit is counted. Texts that are
/// not ours stand in code spans, so that none of them is a link, a mention or markup.
std::string markdown_summary(const RunSummary& summary);

}  // namespace flashgate::reports
