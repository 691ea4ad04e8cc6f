#pragma once

#include <atomic>
#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "app/watch/hang_evidence.h"
#include "app/watch/test_book.h"

namespace flashgate::app {

struct WatchSettings
{
  std::vector<std::string> command;             ///< the program, found on PATH, and its arguments
  std::chrono::milliseconds patience{300'000};  ///< longest time without output or news of a test
};

/// A moment at which nothing moved.
struct Hang
{
  std::vector<std::string> tests;  ///< that ran then; empty: none was known to
  std::string meanwhile;           ///< what went on instead where none did: "collecting tests/test_mask.py"
  double silent_seconds = 0;       ///< how long nothing had moved
  double handled_seconds = 0;      ///< from the end of the patience until the tree was dumped and dead
  HangEvidence evidence;
  std::vector<std::string> last_lines;
};

struct WatchResult
{
  std::string runner;  ///< pytest, gtest, ctest; empty: some program
  std::vector<WatchedTest> tests;
  std::vector<Hang> hangs;
  std::vector<std::string> last_lines;  ///< of the last pass
  std::string ending;                   ///< how the last pass ended: "ended with status 1"; empty if it was killed
  int status = 0;                       ///< of it, as a shell counts
  bool died = false;                    ///< the last pass, of a signal
  int passes = 0;                       ///< times the command was started
  bool stopped = false;                 ///< by a signal to us
  bool left_processes = false;          ///< something of the tree would not die
};

/// Runs the command, passes on what it prints, and follows which test runs. When nothing moves for the patience, its
/// process tree is dumped and killed, and the command is started again for the tests that have not ended, where its
/// runner can do that; the same when it dies in the middle of a test. News are told on standard error.
/// Ends early when `stop` becomes true. Error if the command can't be started.
WatchResult watch_command(const WatchSettings& settings, const std::atomic<bool>& stop);

}  // namespace flashgate::app
