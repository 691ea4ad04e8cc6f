#include "reports/trends.h"

#include <chrono>
#include <cstdio>
#include <set>

namespace flashgate::reports {
namespace {

/// Seconds since 1970; negative if the text is no such time.
double seconds_of(const std::string& text)
{
  int year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0;
  if (std::sscanf(text.c_str(), "%4d-%2d-%2dT%2d:%2d:%2dZ", &year, &month, &day, &hour, &minute, &second) != 6)
    return -1;
  const std::chrono::year_month_day date(std::chrono::year(year), std::chrono::month(static_cast<unsigned>(month)),
                                         std::chrono::day(static_cast<unsigned>(day)));
  if (!date.ok()) return -1;
  const auto days = std::chrono::sys_days(date).time_since_epoch().count();
  return static_cast<double>(days) * 86400.0 + hour * 3600.0 + minute * 60.0 + second;
}

template <typename Get>
TrendLine line(std::string name, std::string unit, const std::vector<RunFigures>& runs, Get&& get)
{
  TrendLine result{std::move(name), std::move(unit), {}};
  for (const RunFigures& run : runs)
    result.values.push_back(static_cast<double>(get(run)));
  return result;
}

double pass_rate(const RunFigures& run)
{
  return run.cells == 0 ? -1 : 100.0 * static_cast<double>(run.passing) / static_cast<double>(run.cells);
}

std::int64_t failures_of(const RunFigures& run, const std::string& check)
{
  const auto place = run.failures.find(check);
  return place == run.failures.end() ? 0 : place->second;
}

}  // namespace

double seconds_between(const std::string& started, const std::string& finished)
{
  const double begin = seconds_of(started), end = seconds_of(finished);
  return begin < 0 || end < begin ? -1 : end - begin;
}

std::vector<TrendLine> trend_lines(const std::vector<RunFigures>& runs)
{
  if (runs.size() < 2) return {};
  std::vector<TrendLine> lines{
      line("pass rate", "% of cells", runs, pass_rate),
      line("worst error / bound", "", runs, [](const RunFigures& run) { return run.worst_ratio; }),
      line("run time", "s", runs,
           [](const RunFigures& run) { return seconds_between(run.run.started, run.run.finished); }),
      line("flakes", "verdicts", runs, [](const RunFigures& run) { return run.flakes; })};
  std::set<std::string> checks;
  for (const RunFigures& run : runs)
    for (const auto& [check, failing] : run.failures)
      checks.insert(check);
  for (const std::string& check : checks)
    lines.push_back(
        line("failures of " + check, "cells", runs, [&](const RunFigures& run) { return failures_of(run, check); }));
  return lines;
}

}  // namespace flashgate::reports
