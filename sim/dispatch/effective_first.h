#pragma once

#include "sim/dispatch/rank_planner.h"
#include "sim/dispatch/subject.h"

namespace flashgate::sim {

/// The clean control: "effective version first". It settles one version before the first forward, from the flags alone
/// and the least that all ranks of the group have, calls the kernel directly on every path, and hands that version
/// down. What no kernel can do it refuses in forward, once and clearly. Nothing it does breaks a check.
class EffectiveFirst : public Subject
{
 public:
  std::string name() const override { return "model:effective-first"; }
  std::string description() const override;
  void plan(const Request& request, bool with_trace, CellPlan& plan) const override;

  /// The version it settles on for `request`; 0 if no kernel can serve it. Asked for 4 it takes 4, 3 or 2, whichever is
  /// the first that can; asked for 3, 3 or 2; asked for 2, only 2.
  static int settle(const Request& request, Tracer& tracer);
};

}  // namespace flashgate::sim
