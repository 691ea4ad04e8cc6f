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

}  // namespace
}  // namespace flashgate::app
