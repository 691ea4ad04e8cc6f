#include <algorithm>
#include <filesystem>
#include <iostream>

#include <fmt/format.h>

#include "app/command_line.h"
#include "app/database_reference.h"
#include "app/suite_run.h"
#include "matrix/expectation_review.h"
#include "matrix/provenance.h"
#include "matrix/runner.h"
#include "matrix/suite.h"
#include "matrix/texts.h"
#include "reference/error.h"
#include "reports/plain_text.h"
#include "reports/whole_file.h"

namespace flashgate::app {
namespace {

namespace fs = std::filesystem;

/// The lines that one text has and the other has not, each behind a sign.
std::string difference(const std::string& before, const std::string& after)
{
  std::string text;
  const auto add = [&](const std::string& from, const std::string& in, char sign) {
    const auto others = matrix::split(in, '\n');
    for (const std::string_view line : matrix::split(from, '\n'))
      if (std::ranges::find(others, line) == others.end()) text += fmt::format("{} {}\n", sign, line);
  };
  add(before, after, '-');
  add(after, before, '+');
  return text;
}

int update(const CommandLine& line)
{
  if (line.database.empty()) throw Error("expectations update: expected a database, FILE.db or FILE.db#RUN");
  OpenedRun opened = open_run(line.database);
  const matrix::Suite suite = matrix::load_suite(line.run.suites_folder, opened.run.suite);
  if (suite.expectations == "none")
    throw Error(fmt::format("suite {} has no expectations; name some in its TOML file", suite.name));
  const auto edits =
      matrix::plan_expectation_update(opened.store, opened.run, line.run.suites_folder, suite.expectations);
  for (const matrix::ExpectationEdit& edit : edits) {
    const fs::path path = fs::path(line.run.suites_folder) / edit.file;
    std::cout << fmt::format("{}\n{}", path.string(), difference(edit.before, edit.after));
    if (!line.dry_run) reports::write_whole_file(path, edit.after);
  }
  if (edits.empty()) std::cout << fmt::format("run {} is as expected, nothing to change\n", opened.run.name);
  return 0;
}

/// Runs the suite without any expectation and says which lines did not come true.
int quarantine(const CommandLine& line)
{
  matrix::RunOptions options = line.run;
  options.with_expectations = false;
  const fs::path folder = line.output.empty() ? fs::path("out") / "quarantine" : fs::path(line.output);
  reports::make_folder(folder);
  if (options.database.empty()) options.database = (folder / "results.db").string();
  options.logs = (folder / "logs").string();
  const matrix::RunResult result = run_with_progress(options);
  if (result.exit_code == matrix::ExitCode::incomplete || result.exit_code == matrix::ExitCode::nothing_ran)
    return static_cast<int>(result.exit_code);

  const matrix::Suite suite = matrix::load_suite(options.suites_folder, options.suite);
  matrix::Store store = matrix::Store::open_read_only(options.database);
  const matrix::ExpectationReview review =
      matrix::review_run(store, result.run.id, matrix::load_expectations(options.suites_folder, suite.expectations),
                         matrix::utc_now().substr(0, 10));
  std::int64_t removable = 0;
  for (const matrix::ExpectationBook::Use& use : review.uses) {
    if (!use.expired && (use.failing > 0 || use.matched == 0)) continue;
    ++removable;
    std::cout << fmt::format("{}:{}: {}: {}\n", use.line.file, use.line.line,
                             use.expired ? "expired" : "did not fail, can be removed", use.line.text);
  }
  std::cout << fmt::format("{} of {} can be removed\n", removable,
                           reports::count_of(static_cast<std::int64_t>(review.uses.size()), "line"));
  return static_cast<int>(removable > 0 ? matrix::ExitCode::failures : matrix::ExitCode::as_expected);
}

}  // namespace

int expectations_verb(const CommandLine& line)
{
  if (line.what == "update") return update(line);
  if (line.what == "quarantine") return quarantine(line);
  throw Error(fmt::format("expectations {}: expected update or quarantine", matrix::printable(line.what)));
}

}  // namespace flashgate::app
