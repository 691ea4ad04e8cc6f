// The examples of docs/subject_protocol.md are subjects.
#include <string>

#include <doctest/doctest.h>

#include "sim/dispatch/checkout_subject.h"

namespace flashgate::sim {
namespace {

TEST_CASE("the example in Python runs v3 on sm90 and v2 elsewhere")
{
  const auto subject =
      open_program("exec:python", "python3 '" FLASHGATE_SOURCE_DIR "/examples/subjects/always_three.py'");
  Request request;
  CellPlan plan;
  subject->plan(request, true, plan);
  CHECK(plan.rank(0).forward.version == 3);
  CHECK(plan.rank(0).trace.size() == 2);
  request.device = Device::sm80;
  subject->plan(request, true, plan);
  CHECK(plan.rank(0).forward.version == 2);
}

TEST_CASE("the example in C++ refuses every request")
{
  const auto subject = open_program("exec:refuses", "'" FLASHGATE_EXAMPLE_SUBJECT "'");
  CellPlan plan;
  Request request;
  request.path = Path::cp_flashmask;
  request.cp_size = 2;
  subject->plan(request, true, plan);
  CHECK(plan.rank(1).error.message.text() == "refused on principle");
}

}  // namespace
}  // namespace flashgate::sim
