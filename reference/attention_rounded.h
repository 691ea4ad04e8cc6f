#pragma once

#include "reference/attention.h"

namespace flashgate::reference {

/// The formulas of attention.h, rounded step by step the way a kernel rounds: fp32 scores and softmax, P and dS rounded
/// to the dtype before they are multiplied, fp32 accumulators, O and the gradients rounded to the dtype at the end, LSE
/// in fp32. It is what backend `reference-rounded` runs: a kernel under test, not an oracle. Apart from data types it
/// shares nothing with the oracle: it reads columns by itself, walks row by row and key tile by key tile with an online
/// rescale, and uses base-2 exponentials, as kernels do (FlashAttention-2, algorithm 1).
///
/// Results are doubles that hold values of the dtype (fp32 for LSE). What an input is rounded to does not matter here:
/// inputs are taken as they are, which is exact for values of the dtype.

/// A fault planted on purpose, so that tests can show that a wrong kernel is caught. The default plants nothing.
struct PlantedFault
{
  enum class Kind {
    none,
    leaked_element,    ///< masked element (row, column) of head 0, batch 0 is seen
    lost_element,      ///< visible element (row, column) of head 0, batch 0 is not seen
    max_not_rescaled,  ///< key tile `column` / key_tile of every row raises the maximum without rescaling what came
                       ///< before
    wrong_group_head,  ///< query head 0 adds its dK and dV to the last key/value head instead of its own
  };
  Kind kind = Kind::none;
  int row = 0;
  int column = 0;
};

struct RoundedOptions
{
  int threads = 1;                        ///< workers over (batch, head)
  const BlockMask* block_mask = nullptr;  ///< not owned; nullptr: none
  int key_tile = 64;                      ///< keys between two rescales; changes rounding, never the verdict
  bool round_each_head = false;           ///< GQA: round dK and dV of each query head before they are added up
  PlantedFault fault{};
};

/// How a kernel version rounds. Version 2 writes dK and dV per query head in the dtype and sums them afterwards; 3 and
/// 4 accumulate a group in fp32.
RoundedOptions rounded_options(int flag_version);

/// O and LSE. Throws Error like attention_forward.
AttentionOutputs attention_forward_rounded(const Problem& problem, const ColumnMask& mask,
                                           const AttentionInputs& inputs, const RoundedOptions& options = {});

/// Gradients from rounded outputs. Throws Error like attention_backward.
AttentionGradients attention_backward_rounded(const Problem& problem, const ColumnMask& mask,
                                              const AttentionInputs& inputs, const AttentionOutputs& outputs,
                                              const RoundedOptions& options = {});

}  // namespace flashgate::reference
