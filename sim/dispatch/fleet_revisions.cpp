#include "sim/dispatch/fleet_model.h"
#include "sim/dispatch/fleet_rules.h"

namespace flashgate::sim {

const std::vector<FleetRevision>& fleet_revisions()
{
  static const std::vector<FleetRevision> revisions{
      {.name = "model:fleet-h0",
       .description = "PaddleFleet before #219: forward through Paddle, backward reads the flags again",
       .recompute = nullptr,
       .cp_forward = CpForward::paddle,
       .cp_settle = nullptr,
       .cp_backward = deterministic_always_2,
       .cp_backward_source = Source::flags,
       .cp_layouts = CpBackwardLayouts::legacy_only,
       .imports_v4_unguarded = false},
      {.name = "model:fleet-h1",
       .description = "PaddleFleet #219: backward knows the block_mask signature",
       .recompute = nullptr,
       .cp_forward = CpForward::paddle,
       .cp_settle = nullptr,
       .cp_backward = deterministic_rule,
       .cp_backward_source = Source::flags,
       .cp_layouts = CpBackwardLayouts::legacy_and_block_mask,
       .imports_v4_unguarded = false},
      {.name = "model:fleet-a",
       .description = "PaddleFleet #774 until #1085: forward by flags, backward by the model's configuration",
       .recompute = recompute_rule_a,
       .cp_forward = CpForward::cute_by_flag,
       .cp_settle = nullptr,
       .cp_backward = deterministic_rule,
       .cp_backward_source = Source::config,
       .cp_layouts = CpBackwardLayouts::all,
       .imports_v4_unguarded = true},
      {.name = "model:fleet-c",
       .description = "PaddleFleet #1085: forward settles the version and hands it to backward",
       .recompute = recompute_rule_a,
       .cp_forward = CpForward::settled,
       .cp_settle = deterministic_rule,
       .cp_backward = nullptr,
       .cp_backward_source = Source::flags,
       .cp_layouts = CpBackwardLayouts::all,
       .imports_v4_unguarded = false},
      {.name = "model:fleet-d",
       .description = "PaddleFleet #1396 and its pick #1398: the deterministic rule only if the flag is 3",
       .recompute = recompute_rule_d,
       .cp_forward = CpForward::settled,
       .cp_settle = deterministic_rule_for_flag_3,
       .cp_backward = nullptr,
       .cp_backward_source = Source::flags,
       .cp_layouts = CpBackwardLayouts::all,
       .imports_v4_unguarded = false},
  };
  return revisions;
}

}  // namespace flashgate::sim
