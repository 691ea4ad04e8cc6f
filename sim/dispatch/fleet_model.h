#pragma once

#include <string_view>
#include <vector>

#include "sim/dispatch/paddle_rule.h"
#include "sim/dispatch/rank_planner.h"
#include "sim/dispatch/subject.h"

namespace flashgate::sim {

/// A rule that picks a version from one source of settings.
using VersionRule = int (*)(const VersionSettings&, RankPlanner&);

/// How context parallel's forward gets to a kernel.
enum class CpForward {
  paddle,        ///< always Paddle's function (H0, H1)
  cute_by_flag,  ///< flag 4 -> v4, whether or not it was imported; else Paddle (A)
  settled        ///< settles a version first; 4 and available -> v4; else Paddle, which reads the flags again (C, D)
};

/// Which argument lists of v3's backward a revision knows.
enum class CpBackwardLayouts { legacy_only, legacy_and_block_mask, all };

/// One revision of PaddleFleet's dispatch code, as data.
struct FleetRevision
{
  std::string_view name;         ///< "model:fleet-d"
  std::string_view description;  ///< one line
  VersionRule recompute;         ///< nullptr: the revision has no refined recompute
  CpForward cp_forward;
  VersionRule cp_settle;      ///< the version that forward settles on and hands on; nullptr: none
  VersionRule cp_backward;    ///< how backward finds its version; nullptr: it takes the one handed on
  Source cp_backward_source;  ///< where backward's version comes from in the end
  CpBackwardLayouts cp_layouts;
  bool imports_v4_unguarded;  ///< on capability 10 the module fails to import without the v4 package
};

/// H0, H1, A, C, D, oldest first.
const std::vector<FleetRevision>& fleet_revisions();

/// A built-in model of one revision. `paddle` is the Paddle that context parallel and paddle_functional call.
class FleetModel : public Subject
{
 public:
  explicit FleetModel(const FleetRevision& revision, PaddleRule paddle = PaddleRule::by_signature);

  std::string name() const override;
  std::string description() const override;
  void plan(const Request& request, bool with_trace, CellPlan& plan) const override;

 private:
  void plan_rank(RankPlanner& planner) const;
  void plan_paddle_functional(RankPlanner& planner) const;
  bool import(RankPlanner& planner) const;
  bool enter(RankPlanner& planner) const;

  void plan_recompute(RankPlanner& planner) const;
  void plan_context_parallel(RankPlanner& planner) const;
  bool cp_forward(RankPlanner& planner, int& version) const;
  bool cp_settle_again(RankPlanner& planner, int& version) const;
  bool second_forward(RankPlanner& planner, int first, int second) const;
  bool run_paddle_forward(RankPlanner& planner, int& version) const;
  bool run_backward(RankPlanner& planner, int version, Launch launch) const;
  bool cp_backward(RankPlanner& planner, int handed) const;
  Launch cp_backward_launch(const RankPlanner& planner, int version) const;

  const FleetRevision& revision_;
  PaddleRule paddle_;
};

}  // namespace flashgate::sim
