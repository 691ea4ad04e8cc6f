#include "sim/dispatch/fleet_model.h"

#include <doctest/doctest.h>

#include "sim/dispatch/built_in_models.h"
#include "sim/dispatch/kernel_ops.h"

namespace flashgate::sim {
namespace {

const FleetRevision& revision(std::string_view name)
{
  for (const FleetRevision& r : fleet_revisions())
    if (r.name == name) return r;
  FAIL("no such revision");
  return fleet_revisions().front();
}

RankPlan plan_of(std::string_view name, const Request& request, PaddleRule paddle = PaddleRule::by_signature)
{
  CellPlan plan;
  FleetModel(revision(name), paddle).plan(request, true, plan);
  return plan.rank(0);
}

Request request_for(Path path, int flag, bool deterministic, HeadDim head_dim)
{
  Request request;
  request.path = path;
  request.cp_size = is_context_parallel(path) ? 2 : 1;
  request.ranks_with_v4 = 0;
  request.flags = request.second_flags = request.config = {flag, deterministic};
  request.head_dim = head_dim;
  return request;
}

TEST_CASE("refined recompute of D applies no deterministic rule to the fallback from 4")
{
  const Request request = request_for(Path::rr_flashmask, 4, true, {192, 192});
  CHECK(plan_of("model:fleet-c", request).forward.version == 2);
  const RankPlan d = plan_of("model:fleet-d", request);
  CHECK(d.forward.version == 3);
  CHECK(d.second_forward.version == 3);
  CHECK(d.backward.version == 3);
  CHECK(d.forward.deterministic);
}

TEST_CASE("context parallel of C hands on the version it settled, not the flag")
{
  Request request = request_for(Path::cp_flashmask, 4, true, {128, 128});
  request.signature = Signature::legacy;
  const RankPlan c = plan_of("model:fleet-c", request);
  CHECK(c.handed_version == 2);
  CHECK(c.backward.version == 2);
  const RankPlan d = plan_of("model:fleet-d", request);
  CHECK(d.forward.version == 2);
  CHECK(d.handed_version == 4);
  CHECK(d.error.phase == Phase::backward);
  CHECK(d.error.kind.text() == "ValueError");
}

TEST_CASE("a change of flags gives the known pairs")
{
  struct Row
  {
    int first, second;
    const char* error;
  };
  for (const Row& row : {Row{2, 3, ""}, Row{3, 2, "KeyError"}, Row{4, 3, ""}, Row{3, 4, ""}, Row{4, 2, "KeyError"}}) {
    Request request = request_for(Path::rr_flashmask, row.first, false, {128, 128});
    request.second_flags.version = row.second;
    request.device = row.first == 4 || row.second == 4 ? Device::sm100 : Device::sm90;
    request.ranks_with_v4 = 1;
    CAPTURE(row.first);
    CAPTURE(row.second);
    const RankPlan plan = plan_of("model:fleet-d", request);
    if (row.first == 3 && row.second == 4) {  // v3 does not run on sm100
      CHECK(plan.error.kind.text() == "not_supported");
      continue;
    }
    CHECK(plan.error.kind.text() == row.error);
    if (*row.error == 0) CHECK(plan.backward.version == row.second);
    CHECK(plan.lse_version == row.first);
  }
}

TEST_CASE("the item that a second forward misses depends on the path")
{
  Request request = request_for(Path::rr_flash, 3, false, {128, 128});
  request.second_flags.version = 2;
  CHECK(plan_of("model:fleet-c", request).error.message.text() == "'result_softmax'");
  request.path = Path::rr_flashmask;
  CHECK(plan_of("model:fleet-c", request).error.message.text() == "'seed_offset'");
}

TEST_CASE("argument lists follow the signature, as far as a revision knows it")
{
  struct Row
  {
    const char* name;
    Signature signature;
    int arity;
  };
  for (const Row& row : {Row{"model:fleet-h0", Signature::legacy, 9}, Row{"model:fleet-h0", Signature::group, 9},
                         Row{"model:fleet-h1", Signature::block_mask, 10}, Row{"model:fleet-h1", Signature::group, 10},
                         Row{"model:fleet-a", Signature::group, 12}, Row{"model:fleet-d", Signature::block_mask, 10}}) {
    Request request = request_for(Path::cp_flashmask, 3, false, {128, 128});
    request.signature = row.signature;
    CAPTURE(row.name);
    const RankPlan plan = plan_of(row.name, request);
    CHECK(plan.backward.arity == row.arity);
    const bool fits = row.arity == backward_arity(3, true, row.signature);
    CHECK((plan.error.kind.text() == "TypeError") == !fits);
  }
}

TEST_CASE("every model leaves a trace that ends where the plan ends, and none when none is asked for")
{
  for (const auto& model : built_in_models()) {
    CellPlan traced, untraced;
    const Request request = request_for(Path::cp_flashmask, 3, true, {128, 128});
    model->plan(request, true, traced);
    model->plan(request, false, untraced);
    CAPTURE(model->name());
    CHECK_FALSE(traced.rank(0).trace.empty());
    CHECK(untraced.rank(0).trace.empty());
    CHECK(same_route(traced.rank(0), untraced.rank(0)));
    for (const TraceStep& step : traced.rank(0).trace) {
      CHECK_FALSE(step.decision.empty());
      CHECK_FALSE(step.outcome.empty());
    }
  }
}

TEST_CASE("the LSE of v2 is padded, the others' is not")
{
  CHECK(lse_layout(2) == "[b, h, round_up(sq, 128)]");
  CHECK(lse_layout(3) == "[b, h, sq]");
  CHECK(lse_layout(4) == "[b, h, sq]");
}

}  // namespace
}  // namespace flashgate::sim
