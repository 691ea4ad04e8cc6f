#include <algorithm>
#include <charconv>

#include "app/watch/test_runner.h"
#include "matrix/texts.h"
#include "reference/error.h"
#include "sim/process/command_output.h"

namespace flashgate::app {
namespace {

using matrix::Verdict;

constexpr std::size_t kLongestFilter = 100'000;  // an argument may have 128 KiB

/// What stands behind `mark` up to a space or comma; empty if the line has no such mark. A test that prints without a
/// line end puts its text in front of the mark.
std::string name_behind(std::string_view line, std::string_view mark)
{
  const std::size_t at = line.find(mark);
  if (at == std::string_view::npos) return {};
  const std::string_view rest = line.substr(at + mark.size());
  return std::string(rest.substr(0, rest.find_first_of(" ,")));
}

/// From "... (12 ms)".
double seconds_in(std::string_view line)
{
  const std::size_t open = line.rfind(" (");
  double milliseconds = 0;
  if (open != std::string_view::npos) {
    int whole = 0;
    std::from_chars(line.data() + open + 2, line.data() + line.size(), whole);
    milliseconds = whole;
  }
  return milliseconds / 1000;
}

class GtestRunner : public TestRunner
{
 public:
  std::string_view name() const override { return "gtest"; }

  /// Lines without indent name a suite ("Suite." or "Suite/0.  # TypeParam = int"), indented ones its tests.
  void list_tests(const std::vector<std::string>& command, TestBook& book) override
  {
    std::vector<std::string> asking = command;
    asking.emplace_back("--gtest_list_tests");
    std::string suite;
    try {
      const sim::CommandResult listed = sim::run_command(asking, "", {}, {64 << 20, 30});
      for (const std::string_view line : matrix::split(listed.output, '\n')) {
        const std::string name(matrix::trim(line.substr(0, line.find('#'))));
        if (name.empty()) continue;
        if (!line.starts_with(' ')) suite = name.ends_with('.') ? name : "";
        if (line.starts_with("  ") && !suite.empty() && !is_disabled(suite + name)) book.announce(suite + name);
      }
    } catch (const Error&) {  // then its tests are known as far as they came
    }
  }

  void read_output(std::string_view line, TestBook& book) override
  {
    if (const std::string started = name_behind(line, "[ RUN      ] "); !started.empty()) book.start(started);
    if (const std::string passed = name_behind(line, "[       OK ] "); !passed.empty())
      book.finish(passed, Verdict::pass, seconds_in(line), "");
    if (!line.ends_with(" ms)")) return;  // the summary names skipped and failed tests again
    if (const std::string skipped = name_behind(line, "[  SKIPPED ] "); !skipped.empty())
      book.finish(skipped, Verdict::skip, seconds_in(line), "the test says skipped");
    if (const std::string failed = name_behind(line, "[  FAILED  ] "); !failed.empty())
      book.finish(failed, Verdict::fail, seconds_in(line), "the test failed; see the log");
  }

  bool read_event(const std::string&, TestBook&) override { return false; }

  std::vector<std::string> rest_of(const std::vector<std::string>& command, const TestBook& book) const override
  {
    std::string filter;
    for (const std::string& test : book.not_ended())
      filter += (filter.empty() ? "" : ":") + test;
    if (filter.empty() || filter.size() > kLongestFilter) return {};
    std::vector<std::string> rest = command;
    rest.push_back("--gtest_filter=" + filter);
    return rest;
  }

 private:
  static bool is_disabled(std::string_view name)
  {
    return name.starts_with("DISABLED_") || name.find(".DISABLED_") != std::string_view::npos ||
           name.find("/DISABLED_") != std::string_view::npos;
  }
};

}  // namespace

std::unique_ptr<TestRunner> make_gtest_runner() { return std::make_unique<GtestRunner>(); }

}  // namespace flashgate::app
