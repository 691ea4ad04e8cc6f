#include <filesystem>
#include <iostream>

#include <fmt/format.h>

#include "app/command_line.h"
#include "app/stop_signal.h"
#include "app/watch/command_watch.h"
#include "app/watch/watch_reports.h"
#include "matrix/provenance.h"
#include "matrix/texts.h"
#include "reports/plain_text.h"
#include "reports/whole_file.h"

namespace flashgate::app {
namespace {

namespace fs = std::filesystem;

void write_files(const fs::path& folder, const WatchResult& result, const WatchLabel& label)
{
  reports::write_whole_file(folder / "junit.xml", watch_junit(result, label));
  reports::write_whole_file(folder / "watch.md", watch_markdown(result, label));
  for (std::size_t i = 0; i < result.hangs.size(); ++i)
    reports::write_whole_file(folder / "logs" / fmt::format("hang-{}.txt", i + 1), result.hangs[i].evidence.text());
}

void tell_failures(const WatchResult& result)
{
  for (const WatchedTest& test : result.tests)
    if (is_failure(test.verdict))
      std::cerr << fmt::format("flashgate: {} {}: {}\n", verdict_name(test.verdict), matrix::printable(test.name),
                               matrix::printable(test.detail));
}

}  // namespace

int watch_verb(const CommandLine& line)
{
  const fs::path folder = line.output.empty() ? fs::path("out") / "watch" : fs::path(line.output);
  reports::make_folder(folder / "logs");
  const std::string database = line.run.database.empty() ? (folder / "results.db").string() : line.run.database;
  // Opened and closed before the command starts: hours of tests are not to end in "cannot be written".
  matrix::Store::open_or_create(database);
  const std::string started = matrix::utc_now();
  const WatchLabel label = make_label(line.watch.label, line.watch.command);

  WatchSettings settings{line.watch.command};
  settings.patience = std::chrono::milliseconds(static_cast<std::int64_t>(line.watch.timeout_seconds * 1000));
  const WatchResult result = watch_command(settings, stop_on_signal());

  write_files(folder, result, label);
  const std::string run = store_watch(database, result, label, started);
  tell_failures(result);
  std::cerr << fmt::format("flashgate: {} in {}\nreport    {}\ndatabase  {} ({})\n", counts_text(result),
                           reports::count_of(result.passes, "pass"), (folder / "watch.md").string(), database, run);
  if (result.left_processes) std::cerr << "flashgate: a process of the tree could not be killed; see logs/\n";
  return static_cast<int>(exit_code_of(result));
}

}  // namespace flashgate::app
