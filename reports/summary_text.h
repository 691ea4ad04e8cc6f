#pragma once

#include <iosfwd>

#include "reports/summary.h"

namespace flashgate::reports {

/// How the text is laid out.
struct TextOptions
{
  bool is_terminal = false;       ///< colours, unless the environment has NO_COLOR
  std::size_t width = 120;        ///< columns; only repro lines may be longer, since a broken command can't be pasted
  std::size_t most_classes = 10;  ///< unexpected classes that are shown; the rest is counted
};

/// The end of `flashgate run`: the verdict, a table subject x check, each unexpected failing class with its repro line,
/// expected ones as a count, expectation lines to look at, excluded cells by reason.
void write_text(std::ostream& out, const RunSummary& summary, const TextOptions& options = {});

/// One entry of the table subject x check: "✗ 154 (1,903)": unexpected, and in parentheses expected failures; "✓" all
/// pass; "! 3" warnings; "–" not supported or skipped everywhere; "·" the check had nothing to judge.
std::string table_entry(const CheckCounts& counts);

}  // namespace flashgate::reports
