#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "reports/summary.h"

namespace flashgate::reports {

/// What a run executed, a sentence a line: how many executions with which verdicts and what they are evidence of, then
/// per kernel and dtype the worst error as a share of its bound. One line that says so if nothing was executed.
std::vector<std::string> execution_lines(const RunSummary& summary);

/// What was done for an evidence level (none, L0 ... L3), in some words.
std::string_view meaning_of_evidence(std::string_view evidence);

/// What no emulation shows, in one sentence.
std::string_view limits_of_emulation();

}  // namespace flashgate::reports
