#pragma once

#include <functional>

#include "reference/attention.h"
#include "reference/attention_rounded.h"

namespace flashgate::reference {

/// True if query row i of head h sees key j.
using Sees = std::function<bool(int b, int h, int i, int j)>;

/// Forward and backward straight from the formulas, in double, one element after the other, nothing tiled, nothing
/// skipped but what is masked. A third definition: it checks the oracle, and with a planted fault it says how large
/// that fault's effect is before any rounding. Test sizes only.
struct NaiveResult
{
  AttentionOutputs outputs;
  AttentionGradients gradients;
};

/// `fault` follows attention_rounded.h; leaked and lost elements are planted through `sees` by the caller.
NaiveResult naive_attention(const Problem& problem, const Sees& sees, const AttentionInputs& inputs,
                            const PlantedFault& fault = {}, int key_tile = 64);

}  // namespace flashgate::reference
