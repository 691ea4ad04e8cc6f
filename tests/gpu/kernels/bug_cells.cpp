#include "tests/gpu/kernels/bug_cells.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "gpu/kernels/tile_shape.h"
#include "reference/input_fill.h"

namespace flashgate::gpu::kernels {

JudgedCase order_of_dq_sums()
{
  const int tile = tile_shape(kChunkElements, kChunkElements).block_n;
  const std::array<double, 4> keys{std::ldexp(1, 24), 1, std::ldexp(1, 23), 0};
  const std::array<double, 4> values{4, 4, -8, 0};
  KernelCase shape;
  shape.seqlen_q = 1;
  shape.seqlen_k = 4 * tile;
  shape.head_dim = shape.head_dim_v = kChunkElements;
  reference::Problem problem = problem_of(shape);
  problem.softmax_scale = 1;
  reference::AttentionInputs inputs = fill_inputs(reference::Fill::zero_scores, problem, {}, 0);
  for (reference::Tensor<double>* tensor : {&inputs.q, &inputs.k, &inputs.v, &inputs.d_o})
    std::fill(tensor->begin(), tensor->end(), 0.0);
  for (std::size_t i = 0; i < keys.size(); ++i) {
    inputs.k(0, 0, static_cast<int>(i) * tile, 0) = keys[i];
    inputs.v(0, 0, static_cast<int>(i) * tile, 0) = values[i];
  }
  inputs.d_o(0, 0, 0, 0) = 1;
  return judge_inputs("B05", problem, {}, inputs);
}

}  // namespace flashgate::gpu::kernels
