#pragma once

#include <string>

#include "reports/summary.h"

namespace flashgate::reports {

/// A comment on GitHub may have 65,536 characters.
inline constexpr std::size_t kMostMarkdown = 60000;

/// The summary as Markdown, worst first and shorter than kMostMarkdown; what does not fit is counted. Texts that are
/// not ours stand in code spans, so that none of them is a link, a mention or markup.
std::string markdown_summary(const RunSummary& summary);

/// `text` as a code span that shows it, cleaned and at most 8,000 code points long; `in_table` also escapes the column
/// separator.
std::string code_span(std::string_view text, bool in_table = false);

}  // namespace flashgate::reports
