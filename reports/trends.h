#pragma once

#include <string>
#include <vector>

#include "matrix/store.h"

namespace flashgate::reports {

using matrix::RunFigures;

/// Seconds between two times in UTC as the store has them, "2026-01-02T03:04:05Z"; negative if one can't be read.
double seconds_between(const std::string& started, const std::string& finished);

/// One figure of every run, to be drawn as a line.
struct TrendLine
{
  std::string name;
  std::string unit;
  std::vector<double> values;  ///< one per run, oldest first; negative: none
};

/// Pass rate, failures per check, worst error / bound, run time and flakes. Empty for fewer than two runs.
std::vector<TrendLine> trend_lines(const std::vector<RunFigures>& runs);

}  // namespace flashgate::reports
