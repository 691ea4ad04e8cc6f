#include <algorithm>
#include <charconv>
#include <regex>

#include "app/watch/test_runner.h"
#include "matrix/texts.h"
#include "reference/error.h"
#include "sim/process/command_output.h"

namespace flashgate::app {
namespace {

using matrix::Verdict;

/// "    Start  7: name", "      Test  #7: name" of a listing, and "3/9 Test  #7: name ....***Failed    0.01 sec".
const std::regex kStart("^ *Start +(\\d+): (.*?)\\s*$");
const std::regex kListed("^ *Test +#\\d+: (.*?)\\s*$");
const std::regex kEnd("^ *\\d+/\\d+ Test +#(\\d+): (.*?) \\.*(   |\\*\\*\\*)([A-Za-z].*?) +([0-9.]+) sec.*$");

Verdict verdict_of(const std::string& word)
{
  if (word.starts_with("Passed")) return Verdict::pass;
  if (word.starts_with("Skipped")) return Verdict::skip;
  if (word.starts_with("Timeout")) return Verdict::timeout;
  if (word.starts_with("Exception")) return Verdict::crash;
  return word.starts_with("Not Run") ? Verdict::error : Verdict::fail;
}

class CtestRunner : public TestRunner
{
 public:
  std::string_view name() const override { return "ctest"; }

  void list_tests(const std::vector<std::string>& command, TestBook& book) override
  {
    for (const std::string& test : listed(command, {"-N"}))
      book.announce(test);
    countable_ = listed(command, {"-N", "-I", "1"});
  }

  void read_output(std::string_view line, TestBook& book) override
  {
    std::match_results<std::string_view::const_iterator> match;
    if (line.find(" sec") == std::string_view::npos && line.find("Start ") == std::string_view::npos) return;
    if (std::regex_match(line.begin(), line.end(), match, kStart)) return book.start(match[2]);
    if (!std::regex_match(line.begin(), line.end(), match, kEnd)) return;
    const Verdict verdict = verdict_of(match[4]);
    const std::string seconds = match[5];
    book.finish(match[2], verdict, std::strtod(seconds.c_str(), nullptr),
                verdict == Verdict::pass ? "" : "ctest says " + match[4].str());
  }

  bool read_event(const std::string&, TestBook&) override { return false; }

  /// A list behind an empty range. -I counts among the tests that -R, -E and labels leave; the command's own -I, which
  /// this one replaces, has done its part: what it left out was never announced.
  std::vector<std::string> rest_of(const std::vector<std::string>& command, const TestBook& book) const override
  {
    std::string list = "0,0,0";
    const std::vector<std::string> left = book.not_ended();
    for (std::size_t i = 0; i < countable_.size(); ++i)
      if (std::ranges::find(left, countable_[i]) != left.end()) list += "," + std::to_string(i + 1);
    std::vector<std::string> rest = command;
    rest.insert(rest.end(), {"-I", list});
    return rest;
  }

 private:
  static std::vector<std::string> listed(std::vector<std::string> command, const std::vector<std::string>& more)
  {
    command.insert(command.end(), more.begin(), more.end());
    const sim::CommandResult result = sim::run_command(command, "", {}, {64 << 20, 60});
    std::vector<std::string> tests;
    for (const std::string_view line : matrix::split(result.output, '\n')) {
      std::match_results<std::string_view::const_iterator> match;
      if (std::regex_match(line.begin(), line.end(), match, kListed)) tests.push_back(match[1]);
    }
    return tests;
  }

  std::vector<std::string> countable_;  ///< the tests that -I counts, from 1
};

}  // namespace

std::unique_ptr<TestRunner> make_ctest_runner() { return std::make_unique<CtestRunner>(); }

}  // namespace flashgate::app
