#include <filesystem>
#include <iostream>

#include <fmt/format.h>

#include "app/command_line.h"
#include "matrix/runner.h"
#include "matrix/store_history.h"
#include "matrix/store_merge.h"
#include "reports/plain_text.h"
#include "reports/report.h"

namespace flashgate::app {

int merge_verb(const CommandLine& line)
{
  const matrix::MergeResult merged = matrix::merge_parts(line.database, line.databases);
  for (const std::string& shard : merged.added)
    std::cout << fmt::format("shard {} added\n", shard);
  for (const std::string& shard : merged.present)
    std::cout << fmt::format("shard {} was there\n", shard);
  for (const std::string& shard : merged.missing)
    std::cerr << fmt::format("flashgate: missing: shard {}\n", shard);
  if (merged.run.empty()) return static_cast<int>(matrix::ExitCode::incomplete);
  std::cout << fmt::format("run {} in {}\n", merged.run, line.database);
  if (!line.output.empty()) {
    matrix::Store store = matrix::Store::open_read_only(line.database);
    for (const std::string& problem : reports::write_report(store, *store.find_run(merged.run), line.output))
      std::cerr << "flashgate: " << problem << '\n';
    std::cout << fmt::format("report {}\n", (std::filesystem::path(line.output) / "index.html").string());
  }
  return merged.exit_code;
}

int migrate_verb(const CommandLine& line)
{
  const matrix::Migration migration = matrix::migrate_database(line.database);
  if (migration.kept.empty())
    std::cout << fmt::format("{}: has schema version {} already\n", line.database, migration.from);
  else
    std::cout << fmt::format("{}: from schema version {} to {}; the old file is {}\n", line.database, migration.from,
                             matrix::kSchemaVersion, migration.kept);
  return 0;
}

int prune_verb(const CommandLine& line)
{
  const std::vector<std::string> gone = matrix::prune_database(line.database, line.keep);
  for (const std::string& run : gone)
    std::cout << fmt::format("run {} removed\n", run);
  std::cout << fmt::format("{}: {} removed\n", line.database,
                           reports::count_of(static_cast<std::int64_t>(gone.size()), "run"));
  return 0;
}

}  // namespace flashgate::app
