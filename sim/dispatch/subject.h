#pragma once

#include <memory>
#include <string>

#include "sim/dispatch/plan.h"
#include "sim/dispatch/request.h"

namespace flashgate::sim {

/// A dispatcher under test: answers what it would run for a request.
class Subject
{
 public:
  virtual ~Subject() = default;

  /// The name by which users, expectations and the store know it, for example "model:fleet-d".
  virtual std::string name() const = 0;

  /// One line: what this subject is.
  virtual std::string description() const = 0;

  /// Plans every rank of the group that `request` describes (its `rank` is ignored). Traces are left empty unless
  /// `with_trace`. A fault of the subject is part of the plan; an Error is thrown only when it could not be asked.
  /// Thread rule: const, so threads may ask one subject at the same time, each into its own plan.
  virtual void plan(const Request& request, bool with_trace, CellPlan& plan) const = 0;
};

}  // namespace flashgate::sim
