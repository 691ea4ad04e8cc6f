#pragma once

#include "sim/dispatch/plan.h"

namespace flashgate::sim {

/// Records the decisions of one rank, or nothing at all where only the plan is wanted.
class Tracer
{
 public:
  /// Records into `steps`; nullptr records nothing.
  explicit Tracer(std::vector<TraceStep>* steps) : steps_(steps) {}

  void enter(Phase phase) { phase_ = phase; }
  Phase phase() const { return phase_; }

  /// Records a decision with a named outcome.
  void record(Symbol decision, Symbol outcome)
  {
    if (steps_ != nullptr) steps_->push_back({phase_, decision, outcome});
  }

  /// Records a yes/no decision and hands the answer back, so that it can stand in an `if`.
  bool ask(Symbol decision, bool answer)
  {
    if (steps_ != nullptr) record_answer(decision, answer);
    return answer;
  }

 private:
  void record_answer(Symbol decision, bool answer);

  std::vector<TraceStep>* steps_;
  Phase phase_ = Phase::none;
};

}  // namespace flashgate::sim
