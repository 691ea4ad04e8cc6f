#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "reports/gate.h"

namespace flashgate::reports {

// The gate's report in its formats. Each is a function of the report alone: equal reports give equal bytes. Whatever
// came from a subject, a ref or a commit's message is cleaned, cut and escaped by the rules of the format.

/// For a terminal: the headline, counts, and each class that is not a note as a paragraph; notes are counted.
std::string gate_text(const GateReport& report);

/// For a pull request's comment: worst classes first, shorter than kMostMarkdown, what did not fit is counted. Begins
/// with an HTML comment by which a job finds its own comment again.
std::string gate_markdown(const GateReport& report);

/// JUnit XML: a case per failing class, and one that passes for every kind of failure that did not occur.
std::string gate_junit(const GateReport& report);

/// SARIF 2.1.0: a result per class, at most kMostSarifResults, with the lines at which base and head part. Fixes and
/// gained support are no findings and are left out.
std::string gate_sarif(const GateReport& report);
inline constexpr std::size_t kMostSarifResults = 5000;

/// GitHub workflow commands, one per class: "::error file=F,line=N,title=T::MESSAGE".
std::string gate_annotations(const GateReport& report);

/// A page: regressions first, the routes of each class side by side, graphs of what differs. It loads nothing.
std::string gate_html(const GateReport& report);

/// Everything, for programs; docs/gate.md lists the keys.
std::string gate_json(const GateReport& report);

/// A format of `gate --format`, and the file that it is written to in the output folder.
struct GateFormat
{
  std::string_view name;
  std::string_view file;
  std::string (*write)(const GateReport&);
};
const std::vector<GateFormat>& gate_formats();

}  // namespace flashgate::reports
