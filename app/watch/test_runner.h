#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "app/watch/test_book.h"

namespace flashgate::app {

/// What is known of a test runner: how it tells which test runs, and how it is made to leave tests out.
class TestRunner
{
 public:
  virtual ~TestRunner() = default;

  virtual std::string_view name() const = 0;

  /// Asks the runner for its tests before the first pass or, with gtest, when one has to be repeated. The tests are
  /// announced in `book`. Does nothing where the runner tells by itself.
  virtual void list_tests(const std::vector<std::string>& command, TestBook& book) = 0;

  /// Reads a line that the command printed, without colours.
  virtual void read_output(std::string_view line, TestBook& book) = 0;

  /// Reads an event of the plugin in flashgate_watch.py. False if it is none of this runner's.
  virtual bool read_event(const std::string& line, TestBook& book) = 0;

  /// What it does while no test runs, as far as it tells: "collecting tests/test_mask.py".
  virtual std::string activity() const { return {}; }

  /// The command that runs the tests which have not ended; empty if this runner can't be made to.
  virtual std::vector<std::string> rest_of(const std::vector<std::string>& command, const TestBook& book) const = 0;
};

/// pytest, by its plugin's events: several tests may run at once.
std::unique_ptr<TestRunner> make_pytest_runner();
/// GoogleTest, by its output.
std::unique_ptr<TestRunner> make_gtest_runner();
/// ctest, by its output.
std::unique_ptr<TestRunner> make_ctest_runner();

/// The runner that a command is by its name; nullptr if the name does not tell.
std::unique_ptr<TestRunner> runner_by_name(const std::vector<std::string>& command);

/// The runner that printed this line first; nullptr if no runner prints such a line. ctest is known by its name only.
std::unique_ptr<TestRunner> runner_by_output(std::string_view line);

}  // namespace flashgate::app
