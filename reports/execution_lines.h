#pragma once

#include <string>
#include <vector>

#include "reports/summary.h"

namespace flashgate::reports {

/// What a run executed, a sentence a line: how many executions with which verdicts and what they are evidence of, then
/// per kernel and dtype the worst error as a share of its bound. One line that says so if nothing was executed.
std::vector<std::string> execution_lines(const RunSummary& summary);

}  // namespace flashgate::reports
