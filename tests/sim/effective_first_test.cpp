#include "sim/dispatch/effective_first.h"

#include <doctest/doctest.h>

namespace flashgate::sim {
namespace {

RankPlan plan_of(const Request& request, int rank = 0)
{
  CellPlan plan;
  EffectiveFirst().plan(request, false, plan);
  return plan.rank(rank);
}

Request asking(int flag, Device device)
{
  Request request;
  request.flags = request.second_flags = request.config = {flag, false};
  request.device = device;
  return request;
}

TEST_CASE("it settles on the first version at or below the one asked for that can serve")
{
  struct Row
  {
    int flag;
    Device device;
    HeadDim head_dim;
    bool deterministic;
    int version;  // 0: refused
  };
  const Row rows[] = {
      {4, Device::sm100, {128, 128}, false, 4}, {4, Device::sm90, {128, 128}, false, 3},
      {4, Device::sm80, {128, 128}, false, 2},  {4, Device::sm100, {256, 256}, true, 4},
      {4, Device::sm100, {512, 512}, true, 0},  {4, Device::sm100, {512, 512}, false, 4},
      {3, Device::sm90, {128, 128}, true, 3},   {3, Device::sm90, {136, 136}, true, 2},
      {3, Device::sm100, {64, 64}, false, 2},   {2, Device::xpu, {64, 64}, false, 2},
      {2, Device::sm90, {192, 128}, false, 0},  {5, Device::sm90, {64, 64}, false, 0},
      {0, Device::sm90, {64, 64}, false, 0},
  };
  for (const Row& row : rows) {
    Request request = asking(row.flag, row.device);
    request.head_dim = row.head_dim;
    request.flags.deterministic = request.second_flags.deterministic = row.deterministic;
    CAPTURE(row.flag);
    CAPTURE(row.head_dim.qk);
    const RankPlan plan = plan_of(request);
    CHECK(plan.forward.version == row.version);
    CHECK(plan.backward.version == row.version);
    CHECK(static_cast<bool>(plan.error) == (row.version == 0));
    if (plan.error) CHECK(plan.error.phase == Phase::forward);
  }
}

TEST_CASE("a group takes the least that all its ranks have")
{
  Request request = asking(4, Device::sm100);
  request.path = Path::cp_flashmask;
  request.cp_size = 4;
  request.ranks_with_v4 = 1;
  for (int rank = 0; rank < 4; ++rank)
    CHECK(plan_of(request, rank).forward.version == 2);
  request.ranks_with_v4 = 4;
  for (int rank = 0; rank < 4; ++rank)
    CHECK(plan_of(request, rank).forward.version == 4);
}

TEST_CASE("it ignores the configuration and refuses a change of flags once")
{
  Request request = asking(3, Device::sm90);
  request.config = {2, true};
  CHECK(plan_of(request).backward.version == 3);
  request.second_flags.version = 2;
  const RankPlan plan = plan_of(request);
  CHECK(plan.error.phase == Phase::second_forward);
  CHECK(plan.error.kind.text() == "RuntimeError");
  CHECK_FALSE(plan.backward);
}

}  // namespace
}  // namespace flashgate::sim
