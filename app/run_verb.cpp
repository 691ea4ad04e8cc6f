#include <algorithm>
#include <filesystem>
#include <functional>
#include <iostream>
#include <memory>
#include <span>
#include <utility>

#include <fmt/format.h>
#include <unistd.h>

#include "app/backend_table.h"
#include "app/command_line.h"
#include "app/suite_run.h"
#include "matrix/runner.h"
#include "reports/report.h"
#include "reports/summary.h"
#include "reports/summary_text.h"
#include "reports/whole_file.h"

namespace flashgate::app {
namespace {

namespace fs = std::filesystem;

/// Points out/latest at the folder of this run. Only a link is ever replaced, and failing is no reason to fail a run.
void link_latest(const fs::path& folder)
{
  const fs::path link = folder.parent_path() / "latest";
  std::error_code ignored;
  if (fs::exists(link, ignored) && !fs::is_symlink(link, ignored)) return;
  fs::remove(link, ignored);
  fs::create_directory_symlink(folder.filename(), link, ignored);
}

/// Where the results go: the folder of the reports (empty if only a database was asked for) and the database.
struct Destination
{
  fs::path folder;
  bool is_default = false;
};

Destination destination(const CommandLine& line, matrix::RunOptions& options)
{
  Destination to{line.output, line.output.empty() && options.database.empty()};
  if (to.is_default) to.folder = fs::path("out") / fs::path(options.suite).stem();
  if (!to.folder.empty()) reports::make_folder(to.folder);
  if (options.database.empty()) options.database = (to.folder / "results.db").string();
  return to;
}

/// The executions that took longest: where a run's time goes.
void print_slowest(matrix::Store& store, std::int64_t run)
{
  constexpr std::size_t kShown = 5;
  constexpr double kWorthSaying = 0.1;  // seconds
  std::vector<matrix::ExecutionRow> rows = store.executions(run);
  const std::size_t shown = std::min(kShown, rows.size());
  std::ranges::partial_sort(rows, rows.begin() + static_cast<std::ptrdiff_t>(shown), std::greater{},
                            &matrix::ExecutionRow::seconds);
  if (shown == 0 || rows.front().seconds < kWorthSaying) return;
  std::cout << "\nslowest executions\n";
  for (const matrix::ExecutionRow& row : std::span(rows).first(shown))
    std::cout << fmt::format("  {:8.2f} s  {}\n", row.seconds, row.name);
}

/// Crashes, hangs and the like, and where their evidence is.
void print_incidents(matrix::Store& store, std::int64_t run, const fs::path& folder)
{
  const std::vector<matrix::IncidentRow> rows = store.incidents(run);
  const auto broken = std::ranges::count_if(rows, [](const matrix::IncidentRow& row) { return row.execution != 0; });
  if (broken == 0) return;
  const std::string logs = folder.empty() ? "" : fmt::format(" and in {}", (folder / "logs").string());
  std::cout << fmt::format("\n{} incidents of executions, their evidence in table incident{}\n", broken, logs);
}

void report(const matrix::RunResult& result, const std::string& database, const Destination& to)
{
  matrix::Store store = matrix::Store::open_read_only(database);
  const reports::RunSummary summary = reports::load_summary(store, result.run);
  reports::write_text(std::cout, summary, {.is_terminal = isatty(STDOUT_FILENO) != 0});
  print_slowest(store, result.run.id);
  print_incidents(store, result.run.id, to.folder);
  const auto print_path = [](const char* what, const fs::path& path) {
    std::cout << fmt::format("{:<8}  {}\n", what, path.string());
  };
  std::cout << '\n';
  if (to.folder.empty()) return print_path("database", database);
  for (const std::string& problem : reports::write_report(store, summary, to.folder))
    std::cerr << "flashgate: " << problem << '\n';
  if (to.is_default) link_latest(to.folder);
  const fs::path shown = to.is_default ? to.folder.parent_path() / "latest" : to.folder;
  print_path("report", shown / "index.html");
  print_path("database", database);
  if (fs::exists(to.folder / "logs")) print_path("logs", to.folder / "logs");
}

}  // namespace

int run_verb(const CommandLine& line)
{
  matrix::RunOptions options = line.run;
  // A backend that can't be had is refused before anything is written, and where the suite executes nothing, too.
  std::unique_ptr<matrix::Backend> backend;
  if (!options.backend.empty() || !options.evidence.empty())
    backend = make_backend({options.backend, options.evidence});
  const Destination to = destination(line, options);
  if (!to.folder.empty()) options.logs = (to.folder / "logs").string();
  const matrix::RunResult result = run_with_progress(options, std::move(backend));

  if (result.exit_code == matrix::ExitCode::nothing_ran) {
    std::cerr << fmt::format("flashgate: suite {} with these filters selects no cell, nothing ran\n", options.suite);
    return static_cast<int>(result.exit_code);
  }
  report(result, options.database, to);
  if (result.exit_code == matrix::ExitCode::incomplete)
    std::cerr << fmt::format("flashgate: incomplete, {} of {} cells; continue with --resume\n", result.progress.done,
                             result.progress.total);
  return static_cast<int>(result.exit_code);
}

}  // namespace flashgate::app
