#include "sim/dispatch/effective_first.h"

#include "sim/dispatch/kernel_ops.h"
#include "sim/dispatch/kernel_support.h"
#include "sim/dispatch/rank_group.h"

namespace flashgate::sim {
namespace {

const Symbol kAskedFor("asked for");
const Symbol kServes4("v4 serves this on every rank");
const Symbol kServes3("v3 serves this");
const Symbol kServes2("v2 serves this");
const Symbol kFlagsChanged("flags changed since the first forward");

const Symbol kValueError("ValueError");
const Symbol kRuntimeError("RuntimeError");
const Symbol kInvalidFlag("FLAGS_flash_attn_version must be 2, 3 or 4");
const Symbol kNoKernel("no attention kernel can serve this request");
const Symbol kFlagsChangedMessage("FLAGS changed between first and second forward");

void plan_rank(RankPlanner& planner)
{
  const Request& request = planner.request();
  RankPlan& plan = planner.plan();
  plan.forward_source = plan.backward_source = Source::flags;
  planner.enter(Phase::forward);
  planner.tracer().record(kAskedFor, version_name(request.flags.version));
  if (!is_valid_version(request.flags.version)) {
    planner.raise(kValueError, kInvalidFlag);
    return;
  }
  const int version = EffectiveFirst::settle(request, planner.tracer());
  if (version == 0) {
    planner.raise(kValueError, kNoKernel);
    return;
  }
  const bool gathers = is_context_parallel(request.path);
  if (gathers) planner.gather_kv();
  if (!planner.run_forward(version)) return;

  if (is_refined_recompute(request.path)) {
    planner.enter(Phase::second_forward);
    if (planner.tracer().ask(kFlagsChanged, request.second_flags != request.flags)) {
      planner.raise(kRuntimeError, kFlagsChangedMessage);
      return;
    }
    planner.decide_second_forward(version);
  }
  planner.enter(Phase::backward);
  plan.handed_version = version;
  if (gathers) planner.gather_kv();
  if (planner.run_backward(backward_launch(request, version, planner.flags())) && gathers) planner.scatter_gradients();
}

}  // namespace

std::string EffectiveFirst::description() const
{
  return "the clean control: settles one effective version before the first forward and hands it down";
}

int EffectiveFirst::settle(const Request& request, Tracer& tracer)
{
  const int asked = request.flags.version;
  if (asked == 4 && tracer.ask(kServes4, kernel_supports(4, request, request.flags))) return 4;
  if (asked >= 3 && tracer.ask(kServes3, kernel_supports(3, request, request.flags))) return 3;
  return tracer.ask(kServes2, kernel_supports(2, request, request.flags)) ? 2 : 0;
}

void EffectiveFirst::plan(const Request& request, bool with_trace, CellPlan& plan) const
{
  plan_group(request, with_trace, plan, plan_rank);
}

}  // namespace flashgate::sim
