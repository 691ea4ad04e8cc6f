#pragma once

#include "reference/attention.h"

namespace flashgate::reference {

/// The plain low-precision run that the field's tests measure against: the formulas in the dtype, one whole operation
/// after the other, as an eager framework runs them. Scale is applied to K first; scores, P, dP, dS and every product
/// are rounded to the dtype; sums run in fp32 inside an operation. Only for FieldRule: no kernel is judged by its
/// values.
///
/// A fully masked row has O = 0 and no gradient. Memory grows with the lengths. Throws Error like attention_backward.
struct PlainResult
{
  Tensor<double> o;
  AttentionGradients gradients;  ///< dsink stays empty: the rule has no sink
};

/// `backward` false leaves the gradients empty.
PlainResult attention_plain(const Problem& problem, const ColumnMask& mask, const AttentionInputs& inputs,
                            const AttentionOptions& options, bool backward);

}  // namespace flashgate::reference
