#pragma once

#include <string>
#include <utility>

#include "reference/error.h"

namespace flashgate::matrix {

/// Thrown by a backend whose kernel can never end: blocks at a barrier, or ranks in their collectives, that wait for
/// each other. The execution is a `hang` at once, without waiting for a deadline.
class Deadlock : public Error
{
 public:
  /// `line`: who waits for what, in one line. `evidence`: the whole report.
  Deadlock(const std::string& line, std::string evidence) : Error(line), evidence_(std::move(evidence)) {}

  const std::string& evidence() const { return evidence_; }

 private:
  std::string evidence_;
};

}  // namespace flashgate::matrix
