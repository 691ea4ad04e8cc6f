#pragma once

#include <string>
#include <vector>

#include "matrix/source_place.h"
#include "sim/dispatch/plan.h"

namespace flashgate::matrix {

/// A step of a trace, with its place taken off the decision's text.
struct Decision
{
  sim::Phase phase = sim::Phase::none;
  std::string text;  ///< empty: there is no such step
  std::string outcome;
  SourcePlace place;

  /// The same question with the same answer in the same phase, wherever it stands.
  bool same_as(const Decision& other) const;
};

Decision to_decision(const sim::TraceStep& step);

/// Where two traces part: the first step in which they differ, as each side has it. If a side has ended there, its text
/// is empty. If the traces are equal both are their last step, and `same` is true.
struct Parting
{
  Decision base, head;
  bool same = false;

  /// The head's place, or the base's where head has none.
  const SourcePlace& place() const { return head.place ? head.place : base.place; }
};

Parting find_parting(const std::vector<sim::TraceStep>& base, const std::vector<sim::TraceStep>& head);

/// A line of the difference of two traces.
struct DifferenceLine
{
  enum class Sign : char { both = ' ', base = '-', head = '+' };

  Sign sign = Sign::both;
  Decision decision;
};

/// The traces merged, as few steps as possible told apart. Steps of a phase keep their order.
std::vector<DifferenceLine> difference_lines(const std::vector<sim::TraceStep>& base,
                                             const std::vector<sim::TraceStep>& head);

}  // namespace flashgate::matrix
