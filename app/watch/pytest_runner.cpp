#include <map>
#include <nlohmann/json.hpp>

#include "app/watch/test_runner.h"

namespace flashgate::app {
namespace {

using matrix::Verdict;
using nlohmann::json;

/// The line of a traceback that says what went wrong ("E   assert 1 == 2"), or its last one.
std::string reason_of(const std::string& traceback)
{
  std::string last;
  std::size_t at = 0;
  while (at < traceback.size()) {
    const std::size_t end = std::min(traceback.find('\n', at), traceback.size());
    const std::string line = traceback.substr(at, end - at);
    if (line.starts_with("E  ")) return line.substr(line.find_first_not_of(' ', 1));
    if (!line.empty()) last = line;
    at = end + 1;
  }
  return last;
}

/// Each phase (setup, call, teardown) reports; the first that is no pass decides, and is known at once. A pass is known
/// when all is over.
class PytestRunner : public TestRunner
{
 public:
  std::string_view name() const override { return "pytest"; }
  void list_tests(const std::vector<std::string>&, TestBook&) override {}
  void read_output(std::string_view, TestBook&) override {}

  bool read_event(const std::string& line, TestBook& book) override
  try {
    const json event = json::parse(line, nullptr, /*allow_exceptions=*/false);
    if (!event.is_object() || !event.contains("event") || !event.contains("test")) return false;
    const std::string kind = event.value("event", ""), test = event.value("test", "");
    if (kind == "collect") collecting_ = test;
    if (kind == "test") book.announce(test);
    if (kind == "start") book.start(test);
    if (kind == "report") report(event, test, book);
    if (kind == "finish") book.finish(test, Verdict::pass, seconds_[test], "");
    return true;
  } catch (const json::exception&) {  // a field of another type
    return false;
  }

  std::string activity() const override { return collecting_.empty() ? "" : "collecting " + collecting_; }

  /// The plugin leaves out what has ended.
  std::vector<std::string> rest_of(const std::vector<std::string>& command, const TestBook&) const override
  {
    return command;
  }

 private:
  void report(const json& event, const std::string& test, TestBook& book)
  {
    const std::string phase = event.value("when", ""), outcome = event.value("outcome", "");
    const double seconds = event.value("seconds", 0.0);
    if (phase == "call") seconds_[test] = seconds;
    if (outcome == "passed") return;
    const std::string reason = reason_of(event.value("text", ""));
    if (outcome == "skipped") return book.finish(test, Verdict::skip, seconds, reason);
    if (phase == "call") return book.finish(test, Verdict::fail, seconds, reason);
    book.finish(test, Verdict::error, seconds, phase + ": " + reason);
  }

  std::string collecting_;                 ///< the file or class it looks for tests in; empty: it has found all
  std::map<std::string, double> seconds_;  ///< of each test's call phase, whose finish follows
};

}  // namespace

std::unique_ptr<TestRunner> make_pytest_runner() { return std::make_unique<PytestRunner>(); }

}  // namespace flashgate::app
