#include <algorithm>
#include <filesystem>
#include <iostream>
#include <list>
#include <tuple>

#include <fmt/format.h>

#include "app/command_line.h"
#include "app/database_reference.h"
#include "reference/error.h"
#include "reports/report.h"

namespace flashgate::app {
namespace {

using reports::HistorySource;

/// Sorts by time, then by number: the newest first.
bool is_newer(const HistorySource& left, const HistorySource& right)
{
  return std::tie(left.run.started, left.run.id) > std::tie(right.run.started, right.run.id);
}

/// The runs of every database that are named, or that its named run has as history; the newest first.
std::vector<HistorySource> runs_of(std::list<OpenedRun>& opened, const std::vector<std::string>& databases)
{
  std::vector<HistorySource> runs;
  std::size_t i = 0;
  for (OpenedRun& one : opened) {
    const std::string file = std::filesystem::path(databases[i++]).filename().string();
    const std::string name = databases.size() > 1 ? file.substr(0, file.rfind('#')) : "";
    runs.push_back({&one.store, one.run, name});
    for (HistorySource source : reports::older_runs(one.store, one.run)) {
      source.database = name;
      runs.push_back(source);
    }
  }
  std::stable_sort(runs.begin(), runs.end(), is_newer);
  return runs;
}

void check_suites(const std::vector<HistorySource>& runs)
{
  for (const HistorySource& source : runs)
    if (source.run.suite != runs.front().run.suite)
      throw Error(fmt::format("{}: run {} is of suite {}, expected {} as in the newest one", source.database,
                              source.run.name, source.run.suite, runs.front().run.suite));
}

}  // namespace

int report_verb(const CommandLine& line)
{
  std::list<OpenedRun> opened;
  for (const std::string& reference : line.databases)
    opened.push_back(open_run(reference));
  std::vector<HistorySource> runs = runs_of(opened, line.databases);
  check_suites(runs);
  const HistorySource newest = runs.front();
  runs.erase(runs.begin());
  runs.resize(std::min(runs.size(), reports::kMostOlderRuns));

  const std::filesystem::path folder = line.output;
  const reports::RunSummary summary = reports::load_summary(*newest.store, newest.run);
  for (const std::string& problem : reports::write_report(*newest.store, summary, folder, runs))
    std::cerr << "flashgate: " << problem << '\n';
  std::cout << fmt::format("report of run {}: {}\n", newest.run.name, (folder / "index.html").string());
  return 0;
}

}  // namespace flashgate::app
