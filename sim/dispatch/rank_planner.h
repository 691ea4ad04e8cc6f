#pragma once

#include "sim/dispatch/plan.h"
#include "sim/dispatch/request.h"
#include "sim/dispatch/tracer.h"

namespace flashgate::sim {

/// Plays one rank of a modelled dispatcher: the model says what it launches or raises, this books it in the plan and
/// lets the kernels refuse what they can't do. Every step that can end the plan returns false once it has ended.
class RankPlanner
{
 public:
  RankPlanner(const Request& request, RankPlan& plan, Tracer tracer);

  const Request& request() const { return request_; }
  RankPlan& plan() { return plan_; }
  Tracer& tracer() { return tracer_; }

  /// The phase that launches, errors and trace steps belong to from now on.
  void enter(Phase phase) { tracer_.enter(phase); }

  /// The flags in force in the current phase.
  const VersionSettings& flags() const;

  /// The subject raises a Python exception. Always false, for `return planner.raise(...)`.
  bool raise(Symbol kind, Symbol message);

  /// The request can't be put to this entry, or the kernel refuses it. Always false.
  bool not_supported(Symbol reason);

  /// Launches the forward kernel; false if it refuses.
  bool run_forward(int version);

  /// Books the version a second forward settles on without launching anything (refined recompute).
  void decide_second_forward(int version);

  /// Launches a backward kernel; false, with a TypeError, if the kernel takes another number of arguments.
  bool run_backward(const Launch& launch);

  /// K and V are gathered before attention, forward and backward; dK and dV scattered after backward. Nothing on one
  /// rank.
  void gather_kv();
  void scatter_gradients();

 private:
  const Request& request_;
  RankPlan& plan_;
  Tracer tracer_;
};

}  // namespace flashgate::sim
