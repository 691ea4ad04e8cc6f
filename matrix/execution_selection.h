#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "matrix/numerics_case.h"
#include "matrix/subjects.h"
#include "sim/dispatch/plan.h"

namespace flashgate::matrix {

/// From plans to executions: what each cell of each subject needs run, and which cases a run executes for all of them.
///
/// A plan decides the axes kernel, direction, head_dim, causal, mask_columns, deterministic, cp_size and scale; a case
/// with these set and all others 0 is a pin. Many cells share one. The other axes, dtype, family, lengths, heads, mask
/// heads, batch and fill, come from one covering array for the whole run.

/// Why a direction of a cell has no execution.
struct SkippedExecution
{
  bool backward = false;
  std::string_view reason;  ///< "mixed pair"
};

/// What the executions of one cell are.
struct PlannedExecutions
{
  std::vector<NumericsCase> pins;  ///< at most one per direction, forward first
  std::vector<SkippedExecution> skips;
};

/// Reads a plan of rank 0. A phase that an error kept from running, or that launches nothing, has neither pin nor skip:
/// there is nothing to execute. Skipped with a reason: a backward of another generation than its forward, a call with
/// dropout, and a mask that no family can be written in.
PlannedExecutions planned_executions(const Cell& cell, const sim::RankPlan& plan);

/// The pins of all subjects' plans of all cells, on `jobs` threads. Plans without traces, which is cheap.
std::set<NumericsCase> collect_pins(const std::vector<Cell>& cells, const std::vector<SubjectPtr>& subjects, int jobs);

struct ExecutionSelectionOptions
{
  int strength = 2;        ///< of the array: 2 for smoke and default, 3 for nightly
  std::size_t limit = 0;   ///< most executions; 0: no limit
  std::uint32_t seed = 1;  ///< of every case
};

/// The cases of a run, and which of them answer for a pin. Deterministic: equal pins and options give equal cases in
/// equal order.
///
/// Without a limit every pin has at least one case and every row of the array that some pin can carry is in some case,
/// so that every pair (triple) of values that can occur together does. Rows rotate over pins, cheap ones to pins with
/// large head dims. A limit keeps the cases that show most: new values first, then new pairs, cheap ones before dear
/// ones; a pin may be left without a case, and its cells are then `skip: over the limit`.
class ExecutionSelection
{
 public:
  ExecutionSelection(const std::set<NumericsCase>& pins, const ExecutionSelectionOptions& options);

  const std::vector<NumericsCase>& cases() const { return cases_; }

  /// Positions in cases() of what answers for a pin; empty if the limit left it out or it is none of the selection's.
  std::span<const std::uint32_t> executions_of(const NumericsCase& pin) const;

  /// Rows of the array, and those that no pin could carry.
  std::size_t array_rows() const { return array_rows_; }
  std::size_t unused_rows() const { return unused_rows_; }

 private:
  std::vector<NumericsCase> cases_;
  std::map<NumericsCase, std::vector<std::uint32_t>> by_pin_;
  std::size_t array_rows_ = 0;
  std::size_t unused_rows_ = 0;
};

/// The pin of a case: its pinned axes, the rest 0, seed 1.
NumericsCase pin_of(const NumericsCase& numerics);

}  // namespace flashgate::matrix
