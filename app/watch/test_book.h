#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "matrix/verdict.h"

namespace flashgate::app {

/// One test of a watched command.
struct WatchedTest
{
  std::string name;  ///< as its runner calls it: a node id, "Suite.Name", a ctest name
  matrix::Verdict verdict = matrix::Verdict::missing;  ///< missing: it has not run (yet)
  double seconds = 0;
  std::string detail;    ///< why it is no pass: what the runner said, or where it hangs
  std::string evidence;  ///< of a hang: the full dump
};

/// What is known of a command's tests: which there are, which run, how each ended. In the order in which they were
/// first heard of. A test that has ended stays as it is.
class TestBook
{
 public:
  /// There is such a test.
  void announce(const std::string& name);
  void start(const std::string& name);
  /// It ended. A verdict other than pass needs a detail.
  void finish(const std::string& name, matrix::Verdict verdict, double seconds, const std::string& detail);

  /// The tests that run now end so, all of them: with several at once nobody can tell which is to blame.
  void finish_running(const WatchedTest& as);

  std::vector<std::string> running() const;
  /// Names of the tests that have ended, and of those that have not.
  std::vector<std::string> ended() const;
  std::vector<std::string> not_ended() const;

  const std::vector<WatchedTest>& tests() const { return tests_; }

 private:
  enum class State : std::uint8_t { known, running, ended };
  std::size_t place_of(const std::string& name);
  std::vector<std::string> names(bool (*belongs)(State)) const;

  std::vector<WatchedTest> tests_;
  std::vector<State> states_;  ///< of tests_
  std::unordered_map<std::string, std::size_t> places_;
};

}  // namespace flashgate::app
