#include "app/progress_line.h"

#include <sstream>

#include <doctest/doctest.h>

namespace flashgate::app {
namespace {

TEST_CASE("progress says done, total, verdicts, rate and time left")
{
  matrix::Progress progress;
  progress.subject = "model:fleet-d";
  progress.done = 30000;
  progress.total = 120000;
  progress.cells_by_verdict = {{matrix::Verdict::pass, 20000}, {matrix::Verdict::fail, 10000}};
  progress.unexpected = 7;
  CHECK(progress_text(progress, 10) ==
        "model:fleet-d  30,000/120,000 cells  pass 20,000  fail 10,000  (7 unexpected)  3,000/s  ETA 0:30");
  CHECK(progress_text({}, 0) == "  0/0 cells  (0 unexpected)  0/s  ETA 0:00");
}

TEST_CASE("a short run shows no progress")
{
  std::ostringstream out;
  ProgressLine line(out, true);
  line.show({});
  line.finish();
  CHECK(out.str().empty());
}

/// What a run of 100 s, in its first twelve, writes to a terminal or elsewhere.
std::string shown(bool is_terminal)
{
  std::ostringstream out;
  const ProgressLine::Clock::time_point start{};
  ProgressLine line(out, is_terminal, start);
  matrix::Progress progress;
  progress.subject = "executions";
  progress.total = 200;
  for (int second = 1; second <= 12; ++second) {
    progress.done = 2 * second;
    progress.cells_by_verdict[matrix::Verdict::hang] = second;
    line.show(progress, start + std::chrono::seconds(second));
  }
  line.finish();
  return out.str();
}

TEST_CASE("elsewhere than on a terminal, progress is a plain line every ten seconds")
{
  CHECK(shown(false) ==
        "executions  4/200 cells  hang 2  (0 unexpected)  2/s  ETA 1:38\n"
        "executions  24/200 cells  hang 12  (0 unexpected)  2/s  ETA 1:28\n");
}

TEST_CASE("on a terminal, progress is one line that is rewritten and ended")
{
  const std::string text = shown(true);
  CHECK(text.starts_with("\rexecutions  4/200 cells  hang 2  (0 unexpected)  2/s  ETA 1:38\x1b[K\rexecutions  6/200"));
  CHECK(text.ends_with("\rexecutions  24/200 cells  hang 12  (0 unexpected)  2/s  ETA 1:28\x1b[K\n"));
}

}  // namespace
}  // namespace flashgate::app
