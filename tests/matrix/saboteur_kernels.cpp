#include "tests/matrix/saboteur_kernels.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <limits>
#include <numbers>

#include "matrix/execution_oracle.h"
#include "reference/half.h"
#include "tests/matrix/saboteur_masks.h"

namespace flashgate::matrix {
namespace {

using reference::Causal;
using reference::PlantedFault;
using reference::Problem;
using reference::Tensor;

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

// Softmax -------------------------------------------------------------------------------------------------------------

void scale_off(const KernelCall& call, KernelOutputs& outputs)
{
  OwnCall own(call);
  own.problem.softmax_scale *= 1.01;
  run_right(own.call(), outputs);
}

void stale_max(const KernelCall& call, KernelOutputs& outputs)
{
  run_planted(call, {PlantedFault::Kind::max_not_rescaled, 0, 64}, outputs);
}

void lse_in_base_2(const KernelCall& call, KernelOutputs& outputs)
{
  run_right(call, outputs);
  for (double& lse : outputs.forward.lse)
    lse *= std::numbers::log2e;
}

/// O is merged over tiles, LSE is the last tile's own.
void lse_unmerged(const KernelCall& call, KernelOutputs& outputs)
{
  run_right(call, outputs);
  if (is_backward(call.numerics) || last_tile(call.problem) == 0) return;
  OwnCall own(call);
  hide_keys(own, 0, last_tile(call.problem));
  KernelOutputs last = poisoned_outputs(call.numerics, call.problem);
  run_right(own.call(), last);
  outputs.forward.lse = last.forward.lse;
}

void set_empty_lse(const KernelCall& call, double value, KernelOutputs& outputs)
{
  run_right(call, outputs);
  for (double& lse : outputs.forward.lse)
    if (std::isinf(lse)) lse = value;
}

void lse_finite_when_empty(const KernelCall& call, KernelOutputs& outputs) { set_empty_lse(call, 0, outputs); }
void lse_plus_infinity(const KernelCall& call, KernelOutputs& outputs) { set_empty_lse(call, INFINITY, outputs); }

/// LSE written [batch, seqlen_q, heads].
void lse_transposed(const KernelCall& call, KernelOutputs& outputs)
{
  run_right(call, outputs);
  const Problem& p = call.problem;
  const Tensor<double> right = outputs.forward.lse;
  std::size_t next = 0;
  for (int b = 0; b < p.batch; ++b)
    for (int i = 0; i < p.seqlen_q; ++i)
      for (int h = 0; h < p.num_heads; ++h)
        outputs.forward.lse.data()[next++] = right(b, h, i, 0);
}

// Heads, gradients ----------------------------------------------------------------------------------------------------

/// Query head h reads key/value head h mod num_heads_kv.
void interleaved_heads(const KernelCall& call, KernelOutputs& outputs)
{
  const int heads_kv = call.problem.num_heads_kv;
  const auto place = [&](int h) { return h % heads_kv * reference::group_size(call.problem) + h / heads_kv; };
  OwnCall own(call);
  for (int b = 0; b < call.problem.batch; ++b)
    for (int h = 0; h < call.problem.num_heads; ++h)
      own.inputs.q.head(b, place(h)) = call.inputs.q.head(b, h);
  KernelOutputs permuted = poisoned_outputs(call.numerics, call.problem);
  run_right(own.call(), permuted);
  outputs = permuted;
  for (int b = 0; b < call.problem.batch; ++b)
    for (int h = 0; h < call.problem.num_heads; ++h)
      outputs.forward.o.head(b, h) = permuted.forward.o.head(b, place(h));
}

void wrong_group_head(const KernelCall& call, KernelOutputs& outputs)
{
  run_planted(call, {PlantedFault::Kind::wrong_group_head}, outputs);
}

void dv_of_masked_rows(const KernelCall& call, KernelOutputs& outputs)
{
  run_right(call, outputs);
  if (!is_backward(call.numerics)) return;
  OwnCall own(call);
  if (call.mask.bounds_per_column != 4) drop_columns(own);
  KernelOutputs unmasked = poisoned_outputs(call.numerics, call.problem);
  run_right(own.call(), unmasked);
  outputs.backward.dv = unmasked.backward.dv;
}

void dk_unscaled(const KernelCall& call, KernelOutputs& outputs)
{
  run_right(call, outputs);
  for (double& element : outputs.backward.dk)
    element = reference::round_to(call.problem.dtype, element / call.problem.softmax_scale);
}

void dq_of_last_tile(const KernelCall& call, KernelOutputs& outputs)
{
  run_right(call, outputs);
  if (!is_backward(call.numerics) || last_tile(call.problem) == 0) return;
  OwnCall own(call);
  hide_keys(own, 0, last_tile(call.problem));
  KernelOutputs last = poisoned_outputs(call.numerics, call.problem);
  run_right(own.call(), last);
  outputs.backward.dq = last.backward.dq;
}

/// dS = P dP: as if O, and so delta, were zero.
void delta_forgotten(const KernelCall& call, KernelOutputs& outputs)
{
  run_right(call, outputs);
  if (!is_backward(call.numerics) || number_of(call.numerics, NumericsAxisId::cp_size) > 1) return;
  reference::AttentionOutputs without_o = outputs.forward;
  std::fill(without_o.o.begin(), without_o.o.end(), 0.0);
  outputs.backward =
      attention_backward_rounded(call.problem, call.mask, call.inputs, without_o, rounding_of(call.numerics));
}

// Memory --------------------------------------------------------------------------------------------------------------

/// P V as a plain product: a zero weight does not keep a NaN out.
void zero_times_nan(const KernelCall& call, KernelOutputs& outputs)
{
  run_right(call, outputs);
  const auto bad = [](double value) { return !std::isfinite(value); };
  if (std::any_of(call.inputs.v.begin(), call.inputs.v.end(), bad) &&
      number_of(call.numerics, NumericsAxisId::fill) == static_cast<int>(reference::Fill::masked_nan))
    std::fill(outputs.forward.o.begin(), outputs.forward.o.end(), kNan);
}

void padding_read(const KernelCall& call, KernelOutputs& outputs)
{
  run_right(call, outputs);
  if (call.inputs.v.seq() == call.problem.seqlen_k) return;
  for (Tensor<double>* tensor : {&outputs.forward.o, &outputs.backward.dq})
    for (double& element : *tensor)
      element += 0 * call.inputs.v(0, 0, call.problem.seqlen_k, 0);
}

void masked_rows_unwritten(const KernelCall& call, KernelOutputs& outputs)
{
  run_right(call, outputs);
  for (int b = 0; b < call.problem.batch; ++b)
    for (int h = 0; h < call.problem.num_heads; ++h)
      for (int i = 0; i < call.problem.seqlen_q; ++i)
        if (std::isinf(outputs.forward.lse(b, h, i, 0))) outputs.forward.o.head(b, h).row(i).setConstant(kUnwritten);
}

/// The last bit of some element of dQ changes from one run to the next: an order of additions that is not fixed.
void unsteady_bits(const KernelCall& call, KernelOutputs& outputs)
{
  static std::atomic<int> runs{0};
  run_right(call, outputs);
  if (runs++ % 2 == 0) return;
  const double step = 1 + 2 * reference::unit_roundoff(call.problem.dtype);
  for (double& element : outputs.backward.dq)
    if (element != 0) {
      element = reference::round_to(call.problem.dtype, element * step);
      return;
    }
}

constexpr std::array kSaboteurs{
    SaboteurKernelRow{"late_lt_start", "lt_start one row late: one element on the diagonal leaks", "numerics",
                      late_lt_start},
    SaboteurKernelRow{"late_ut_end", "ut_end one row early", "numerics", late_ut_end},
    SaboteurKernelRow{"unsigned_bounds", "a bound below 0 read as a huge row", "numerics", unsigned_bounds},
    SaboteurKernelRow{"other_corner", "causal aligned to the other corner when lengths differ", "numerics",
                      other_corner},
    SaboteurKernelRow{"lt_end_as_ut_end", "the second of two causal bounds read as ut_end", "numerics",
                      lt_end_as_ut_end},
    SaboteurKernelRow{"columns_ignored", "columns ignored, causal alone applied", "numerics", columns_ignored},
    SaboteurKernelRow{"lost_last_tile", "the last key tile never visited", "numerics", lost_last_tile},
    SaboteurKernelRow{"lost_element", "one visible element lost", "numerics", lost_element},
    SaboteurKernelRow{"leaked_element", "one masked element leaked", "numerics", leaked_element},
    SaboteurKernelRow{"scale_off", "softmax scale off by 1 %", "numerics", scale_off},
    SaboteurKernelRow{"stale_max", "one tile raises the maximum without rescaling what came before", "numerics",
                      stale_max},
    SaboteurKernelRow{"lse_in_base_2", "LSE left in base 2", "lse_layout", lse_in_base_2},
    SaboteurKernelRow{"lse_unmerged", "LSE of the last key tile alone", "numerics", lse_unmerged},
    SaboteurKernelRow{"lse_finite_when_empty", "LSE of a fully masked row is 0", "lse_layout", lse_finite_when_empty},
    SaboteurKernelRow{"lse_plus_infinity", "LSE of a fully masked row is +inf", "lse_layout", lse_plus_infinity},
    SaboteurKernelRow{"lse_transposed", "LSE written [batch, seqlen_q, heads]", "lse_layout", lse_transposed},
    SaboteurKernelRow{"interleaved_heads", "query head h reads key/value head h mod num_heads_kv", "numerics",
                      interleaved_heads},
    SaboteurKernelRow{"wrong_group_head", "dK and dV of one query head added to another group", "numerics",
                      wrong_group_head},
    SaboteurKernelRow{"dv_of_masked_rows", "dV takes masked rows in", "numerics", dv_of_masked_rows},
    SaboteurKernelRow{"dk_unscaled", "dK without the softmax scale", "numerics", dk_unscaled},
    SaboteurKernelRow{"dq_of_last_tile", "dQ overwritten by every key tile, not accumulated", "numerics",
                      dq_of_last_tile},
    SaboteurKernelRow{"delta_forgotten", "dS = P dP, delta not subtracted", "numerics", delta_forgotten},
    SaboteurKernelRow{"zero_times_nan", "NaN at a masked key comes through 0 x NaN", "masked_nan", zero_times_nan},
    SaboteurKernelRow{"padding_read", "keys behind seqlen_k read", "nonfinite", padding_read},
    SaboteurKernelRow{"masked_rows_unwritten", "O of fully masked rows never written", "unwritten",
                      masked_rows_unwritten},
    SaboteurKernelRow{"unsteady_bits", "dQ differs in its last bit between runs in deterministic mode", "bitwise",
                      unsteady_bits},
};

}  // namespace

std::span<const SaboteurKernelRow> saboteur_kernels() { return kSaboteurs; }

}  // namespace flashgate::matrix
