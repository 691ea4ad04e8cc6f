#pragma once

#include <memory>
#include <span>
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

  /// The same for many requests, plans[i] for requests[i]. A subject in a process of its own is asked for all at once.
  virtual void plan_batch(std::span<const Request> requests, bool with_trace, std::span<CellPlan> plans) const
  {
    for (std::size_t i = 0; i < requests.size(); ++i)
      plan(requests[i], with_trace, plans[i]);
  }

  /// The lines of the subject's source that can run, as far as its code was loaded by now; empty for models.
  virtual SourceLines executable_lines() const { return {}; }
};

}  // namespace flashgate::sim
