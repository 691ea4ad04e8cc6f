#include <doctest/doctest.h>

#include "matrix/isolation/attempt_queue.h"
#include "matrix/isolation/worker_fault.h"

namespace flashgate::matrix {
namespace {

ExecutionResult result_of(Verdict verdict, const char* check)
{
  ExecutionResult result;
  result.verdict = verdict;
  if (verdict != Verdict::pass) {
    result.findings.push_back({check, verdict, "what"});
    result.incidents.push_back({check, check, "evidence"});
  }
  return result;
}

}  // namespace

TEST_CASE("what a failing attempt is worth follows from the second one")
{
  struct Row
  {
    const char* what;
    Verdict first, again, settled;
    Outcome outcome;
    std::size_t incidents;
  };
  const Row rows[] = {
      {"the same again is a fault", Verdict::crash, Verdict::crash, Verdict::crash, Outcome::as_is, 1},
      {"a wrong result again is a fault", Verdict::fail, Verdict::fail, Verdict::fail, Outcome::as_is, 1},
      {"a pass makes it a flake", Verdict::crash, Verdict::pass, Verdict::crash, Outcome::flake, 1},
      {"a wrong result that comes and goes is one, too", Verdict::fail, Verdict::pass, Verdict::fail, Outcome::flake,
       1},
      {"of two faults the worse counts", Verdict::fail, Verdict::crash, Verdict::crash, Outcome::as_is, 2},
      {"in either order", Verdict::crash, Verdict::hang, Verdict::crash, Outcome::as_is, 2},
  };
  for (const Row& row : rows) {
    CAPTURE(row.what);
    const ExecutionResult settled = settle(result_of(row.first, "crash"), result_of(row.again, "hang"));
    CHECK(settled.verdict == row.settled);
    CHECK(settled.findings.front().outcome == row.outcome);
    CHECK(settled.incidents.size() == row.incidents);
  }
}

TEST_CASE("a suspect goes to a worker that has nothing else, before new tasks, and keeps others away")
{
  AttemptQueue queue(1000);
  CHECK(queue.next_for({0, false}, 1, 1000)->task == 0);
  queue.suspect(0);
  CHECK(queue.next_for({1, false}, 1, 1000)->task == 1);  // this worker is busy, so it gets another task
  const auto suspect = queue.next_for({0, false}, 1, 1000);
  CHECK(suspect->task == 0);
  CHECK(suspect->alone);
  CHECK_FALSE(queue.next_for({1, true}, 1, 1000));
}

TEST_CASE("tasks that come back go out again first, and none beyond the window or the depth")
{
  AttemptQueue queue(1000);
  CHECK(queue.next_for({0, false}, 1, 1)->task == 0);
  CHECK_FALSE(queue.next_for({0, false}, 1, 1));
  queue.put_back({0, false});
  CHECK(queue.next_for({0, false}, 1, 1)->task == 0);
  CHECK(queue.next_for({15, false}, 1, 1000)->task == 1);
  CHECK_FALSE(queue.next_for({16, false}, 1, 1000));
  AttemptQueue few(2);
  CHECK_FALSE(few.next_for({1, false}, 1, 2));  // it might wait behind a dear one while another worker is idle
}

}  // namespace flashgate::matrix
