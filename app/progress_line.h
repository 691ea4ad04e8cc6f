#pragma once

#include <chrono>
#include <iosfwd>

#include "matrix/runner.h"

namespace flashgate::app {

/// Shows how far a run is: on a terminal one line that is rewritten, elsewhere a plain line every ten seconds. Nothing
/// for a run shorter than two seconds.
class ProgressLine
{
 public:
  using Clock = std::chrono::steady_clock;

  /// `started`: when the run did.
  ProgressLine(std::ostream& out, bool is_terminal, Clock::time_point started = Clock::now());

  /// Shows how far the run is, unless what is shown is fresh enough.
  void show(const matrix::Progress& progress, Clock::time_point now = Clock::now());

  /// Ends the rewritten line, so that what follows starts on a fresh one.
  void finish();

 private:
  std::ostream& out_;
  bool is_terminal_;
  Clock::time_point started_;
  Clock::time_point next_;
  bool line_open_ = false;
};

/// "model:fleet-d  84,000/126,000 cells  pass 20,111  fail 3,079 (0 unexpected)  97,000/s  ETA 0:01".
std::string progress_text(const matrix::Progress& progress, double elapsed_seconds);

}  // namespace flashgate::app
