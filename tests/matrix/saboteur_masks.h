#pragma once

#include "matrix/backend.h"
#include "reference/attention_rounded.h"

namespace flashgate::matrix {

/// Calls with one thing about their mask changed, from which saboteur kernels are made.

/// A call with copies of its own that may be changed. `call()` is valid as long as this lives.
struct OwnCall
{
  const NumericsCase& numerics;
  reference::Problem problem;
  reference::ColumnMask mask;
  reference::AttentionInputs inputs;

  explicit OwnCall(const KernelCall& call)
      : numerics(call.numerics), problem(call.problem), mask(call.mask), inputs(call.inputs)
  {
  }
  KernelCall call() const { return {numerics, problem, mask, inputs}; }
};

/// Writes a mask that has no columns with columns that mask nothing.
void give_columns(OwnCall& own);

/// Hides the keys from `begin` to `end` from every row.
void hide_keys(OwnCall& own, int begin, int end);

/// Applies `change` to bound `c` of every column.
void change_bounds(OwnCall& own, int c, std::int32_t (*change)(std::int32_t bound, int seqlen_q));

/// Drops columns, so that only a causal mask is left.
void drop_columns(OwnCall& own);

/// First key of the last 64-key tile.
inline int last_tile(const reference::Problem& problem) { return (problem.seqlen_k - 1) / 64 * 64; }

/// Row and column of an element of head 0, batch 0 that is visible, or masked, as asked, as far down as there is one;
/// {-1, -1} if there is none.
struct Place
{
  int row = -1;
  int column = -1;
};
Place last_element(const KernelCall& call, bool visible);

/// The right kernel, as it is and with a fault planted.
void run_right(const KernelCall& call, KernelOutputs& outputs);
void run_planted(const KernelCall& call, const reference::PlantedFault& fault, KernelOutputs& outputs);

/// Kernels that read the mask wrongly; saboteur_kernels.cpp says how each.
void late_lt_start(const KernelCall& call, KernelOutputs& outputs);
void late_ut_end(const KernelCall& call, KernelOutputs& outputs);
void unsigned_bounds(const KernelCall& call, KernelOutputs& outputs);
void other_corner(const KernelCall& call, KernelOutputs& outputs);
void lt_end_as_ut_end(const KernelCall& call, KernelOutputs& outputs);
void columns_ignored(const KernelCall& call, KernelOutputs& outputs);
void lost_last_tile(const KernelCall& call, KernelOutputs& outputs);
void lost_element(const KernelCall& call, KernelOutputs& outputs);
void leaked_element(const KernelCall& call, KernelOutputs& outputs);

}  // namespace flashgate::matrix
