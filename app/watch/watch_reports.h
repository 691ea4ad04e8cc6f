#pragma once

#include <string>

#include "app/watch/command_watch.h"
#include "matrix/runner.h"
#include "matrix/store.h"

namespace flashgate::app {

/// Who asked for a watched command and under which name.
struct WatchLabel
{
  std::string label;     ///< what the user calls it, or the program's file name
  std::string pipeline;  ///< of the CI system, from its environment; "local" outside one
  std::string command;   ///< as one line
};

WatchLabel make_label(const std::string& given, const std::vector<std::string>& command);

/// 0: every test ended and at least one passed, none failed; 1: something failed, hung or crashed; 2: stopped by a
/// signal; 5: nothing ran, or everything was skipped.
matrix::ExitCode exit_code_of(const WatchResult& result);

/// "12 tests: 10 pass, 1 hang, 1 missing".
std::string counts_text(const WatchResult& result);

/// JUnit with one case per test. A test that hung, crashed or never ran is a failure of that type.
std::string watch_junit(const WatchResult& result, const WatchLabel& label);

/// The report for people: what hangs, where, why that is likely, what to look at; failing tests; those that never ran.
std::string watch_markdown(const WatchResult& result, const WatchLabel& label);

/// Appends a run of suite "watch" to the database: subject "watch:LABEL", a cell "test:NAME" per test with a verdict of
/// check "watch", an incident per hang and crash. Returns the run's name.
std::string store_watch(const std::string& database, const WatchResult& result, const WatchLabel& label,
                        const std::string& started);

}  // namespace flashgate::app
