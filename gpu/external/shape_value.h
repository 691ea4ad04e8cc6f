#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "gpu/kernels/attention_parameters.h"

namespace flashgate::gpu::external {

/// What a map may call the numbers of an attention call: "seqlen_q", "num_heads_kv", "k.row_stride", ... The one list
/// of them. Strides count elements; mask_columns is 0, 1, 2 or 4; is_causal is 0 or 1.
using ShapeValue = std::int64_t (*)(const kernels::AttentionParameters&);

/// nullptr if there is no such name.
ShapeValue find_shape_value(std::string_view name);

/// All names without strides, for messages.
std::vector<std::string_view> shape_names();

/// Tensors as maps name them, with where their address is.
using TensorAddress = std::uint64_t (*)(const kernels::AttentionParameters&);
TensorAddress find_tensor(std::string_view name);
std::vector<std::string_view> tensor_names();

}  // namespace flashgate::gpu::external
