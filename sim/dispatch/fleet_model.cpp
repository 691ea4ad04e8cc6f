#include "sim/dispatch/fleet_model.h"

#include "sim/dispatch/fleet_rules.h"
#include "sim/dispatch/kernel_ops.h"
#include "sim/dispatch/rank_group.h"

namespace flashgate::sim {
namespace {

const Symbol kCallsPaddle("Fleet: calls");
const Symbol kPaddle("Paddle's flashmask_attention");
const Symbol kFlagIs4("Fleet: flag is 4");
const Symbol kVersionIs4Available("Fleet: version is 4 and v4 available");
const Symbol kHandedVersion("Fleet: version handed to backward");

const Symbol kImportError("ImportError");
const Symbol kNameError("NameError");
const Symbol kKeyError("KeyError");
const Symbol kValueError("ValueError");
const Symbol kNotImplementedError("NotImplementedError");
const Symbol kNoV4Package("No module named 'flash_mask.cute'");
const Symbol kForwardNameMissing("name '_flash_attn_fwd' is not defined");
const Symbol kBackwardNameMissing("name '_flash_attn_bwd' is not defined");
const Symbol kSeedOffset("'seed_offset'");
const Symbol kResultSoftmax("'result_softmax'");
const Symbol kTooManyGradients("too many values to unpack (expected 3)");
const Symbol kNoDropoutInCp("dropout is not supported in FlashMask context parallel");
const Symbol kNoCausalInCp("FlashMaskContextParallel does not support causal=True");
const Symbol kNoScaleParameter("the entry takes no softmax_scale");

Symbol no_entry(Path path)
{
  static const Symbol rr_flashmask("no entry for rr_flashmask"), rr_flash("no entry for rr_flash"),
      rr_cp_flashmask("no entry for rr_cp_flashmask");
  return path == Path::rr_flashmask ? rr_flashmask : path == Path::rr_flash ? rr_flash : rr_cp_flashmask;
}

}  // namespace

FleetModel::FleetModel(const FleetRevision& revision, PaddleRule paddle) : revision_(revision), paddle_(paddle) {}

std::string FleetModel::name() const { return std::string(revision_.name); }
std::string FleetModel::description() const { return std::string(revision_.description); }

void FleetModel::plan(const Request& request, bool with_trace, CellPlan& plan) const
{
  plan_group(request, with_trace, plan, [this](RankPlanner& planner) { plan_rank(planner); });
}

void FleetModel::plan_rank(RankPlanner& planner) const
{
  const Path path = planner.request().path;
  planner.plan().forward_source = Source::flags;
  planner.plan().backward_source = is_context_parallel(path) ? revision_.cp_backward_source : Source::flags;
  if (path == Path::paddle_functional) return plan_paddle_functional(planner);
  if (!import(planner) || !enter(planner)) return;
  if (is_context_parallel(path)) return plan_context_parallel(planner);
  plan_recompute(planner);
}

/// Paddle binds backward to the operator that forward ran.
void FleetModel::plan_paddle_functional(RankPlanner& planner) const
{
  int version = 0;
  planner.enter(Phase::forward);
  if (!run_paddle_forward(planner, version)) return;
  planner.enter(Phase::backward);
  planner.plan().handed_version = version;
  planner.run_backward(backward_launch(planner.request(), version, planner.flags()));
}

bool FleetModel::import(RankPlanner& planner) const
{
  const Request& request = planner.request();
  planner.enter(Phase::import);
  if (is_refined_recompute(request.path) && revision_.recompute == nullptr)
    return planner.not_supported(no_entry(request.path));
  const bool fails = revision_.imports_v4_unguarded && request.device == Device::sm100 && !v4_imports(request);
  return !fails || planner.raise(kImportError, kNoV4Package);
}

/// What the entries refuse, or have no parameter for, before any version is chosen.
bool FleetModel::enter(RankPlanner& planner) const
{
  const Request& request = planner.request();
  planner.enter(Phase::forward);
  if (request.scale_set) return planner.not_supported(kNoScaleParameter);
  if (!is_context_parallel(request.path)) return true;
  if (request.dropout) return planner.raise(kNotImplementedError, kNoDropoutInCp);
  if (request.causal && !request.causal_direct) return planner.raise(kNotImplementedError, kNoCausalInCp);
  return true;
}

void FleetModel::plan_recompute(RankPlanner& planner) const
{
  const int first = revision_.recompute(planner.flags(), planner);
  if (!is_valid_version(first)) {
    raise_unsupported_version(first, planner);
    return;
  }
  if (!planner.run_forward(first)) return;

  planner.enter(Phase::second_forward);
  const int second = revision_.recompute(planner.flags(), planner);
  if (!second_forward(planner, first, second)) return;

  planner.enter(Phase::backward);
  planner.plan().handed_version = second;
  run_backward(planner, second, backward_launch(planner.request(), second, planner.flags()));
}

void FleetModel::plan_context_parallel(RankPlanner& planner) const
{
  int handed = 0;
  if (!cp_forward(planner, handed)) return;
  if (planner.request().path == Path::rr_cp_flashmask) {
    int second = 0;
    planner.enter(Phase::second_forward);
    if (!cp_settle_again(planner, second) || !second_forward(planner, handed, second)) return;
    handed = second;
  }
  planner.enter(Phase::backward);
  cp_backward(planner, handed);
}

/// The second forward takes what the first one left in a queue; v2 needs an item that only a first forward of v2 left.
/// A second forward that settles on the first one's version stands for the kernel that Paddle really ran then.
bool FleetModel::second_forward(RankPlanner& planner, int first, int second) const
{
  const int stands_for = second == first ? planner.plan().forward.version : second;
  if (!is_valid_version(stands_for)) return raise_unsupported_version(second, planner);
  planner.decide_second_forward(stands_for);
  if (second != 2 || first == 2) return true;
  return planner.raise(kKeyError, planner.request().path == Path::rr_flash ? kResultSoftmax : kSeedOffset);
}

bool FleetModel::cp_forward(RankPlanner& planner, int& version) const
{
  const Request& request = planner.request();
  const int flag = planner.flags().version;
  planner.gather_kv();
  if (revision_.cp_forward == CpForward::cute_by_flag && planner.tracer().ask(kFlagIs4, flag == 4)) {
    if (!v4_available(request)) return planner.raise(kNameError, kForwardNameMissing);
    version = 4;
    return planner.run_forward(4);
  }
  if (revision_.cp_forward != CpForward::settled) return run_paddle_forward(planner, version);

  version = revision_.cp_settle(planner.flags(), planner);
  if (planner.tracer().ask(kVersionIs4Available, version == 4 && v4_available(request))) return planner.run_forward(4);
  int launched = 0;
  return run_paddle_forward(planner, launched);
}

/// Context parallel under refined recompute: the version that the second forward arrives at.
bool FleetModel::cp_settle_again(RankPlanner& planner, int& version) const
{
  if (revision_.cp_settle != nullptr) {
    version = revision_.cp_settle(planner.flags(), planner);
    return true;
  }
  if (planner.tracer().ask(kFlagIs4, planner.flags().version == 4)) {
    version = 4;
    return v4_available(planner.request()) || planner.raise(kNameError, kForwardNameMissing);
  }
  const PaddleChoice choice = paddle_choose(paddle_, planner.request(), planner.flags(), planner.tracer());
  version = choice.version;
  return choice.version != 0 || planner.raise(choice.error_kind, choice.error_message);
}

bool FleetModel::run_paddle_forward(RankPlanner& planner, int& version) const
{
  planner.tracer().record(kCallsPaddle, kPaddle);
  const PaddleChoice choice = paddle_choose(paddle_, planner.request(), planner.flags(), planner.tracer());
  version = choice.version;
  if (choice.version == 0) return planner.raise(choice.error_kind, choice.error_message);
  return planner.run_forward(choice.version);
}

bool FleetModel::cp_backward(RankPlanner& planner, int handed) const
{
  const VersionSettings& source =
      revision_.cp_backward_source == Source::config ? planner.request().config : planner.flags();
  planner.gather_kv();
  const int version = revision_.cp_backward == nullptr ? handed : revision_.cp_backward(source, planner);
  planner.plan().handed_version = version;
  planner.tracer().record(kHandedVersion, version_name(version));

  const bool v4_missing = version == 4 && !v4_available(planner.request());
  if (v4_missing && revision_.cp_forward == CpForward::cute_by_flag)
    return planner.raise(kNameError, kBackwardNameMissing);
  const bool knows_v4 = revision_.cp_forward != CpForward::paddle;
  if (!is_valid_version(version) || v4_missing || (version == 4 && !knows_v4))
    return raise_unsupported_version(version, planner);
  if (!run_backward(planner, version, cp_backward_launch(planner, version))) return false;
  planner.scatter_gradients();
  return true;
}

Launch FleetModel::cp_backward_launch(const RankPlanner& planner, int version) const
{
  const Request& request = planner.request();
  Launch launch = backward_launch(request, version, planner.flags());
  if (version != 3) return launch;
  launch.causal = false;  // a constant in every revision; v2 and v4 pass the real value
  const bool block_mask_known = revision_.cp_layouts != CpBackwardLayouts::legacy_only;
  if (!block_mask_known) launch.arity = backward_arity(3, true, Signature::legacy);
  if (revision_.cp_layouts == CpBackwardLayouts::legacy_and_block_mask && request.signature == Signature::group)
    launch.arity = backward_arity(3, true, Signature::block_mask);
  return launch;
}

/// Fleet unpacks exactly three gradients from v4.
bool FleetModel::run_backward(RankPlanner& planner, int version, Launch launch) const
{
  if (!planner.run_backward(launch)) return false;
  if (version == 4 && planner.request().cute_gradients != 3) return planner.raise(kValueError, kTooManyGradients);
  return true;
}

}  // namespace flashgate::sim
