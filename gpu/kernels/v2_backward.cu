// The backward kernels of v2 for one head dim, FLASHGATE_HEAD_DIM:
//   v2_backward_keys_*     dK, dV            grid (blocks of keys, key/value heads, batch)
//   v2_backward_queries_*  dQ, ordered       grid (blocks of query rows, query heads, batch)
//   v2_backward_atomic_*   dK, dV and dQ's accumulators, unordered; grid as v2_backward_keys
#include "gpu/kernels/entry_name.cuh"
#include "gpu/kernels/v2_backward_keys.cuh"
#include "gpu/kernels/v2_backward_queries.cuh"

namespace flashgate::gpu::kernels {

extern "C" __global__ void __launch_bounds__(BackwardShape<FLASHGATE_HEAD_DIM>::kThreads)
    FLASHGATE_ENTRY(v2_backward_keys_bf16_d, FLASHGATE_HEAD_DIM)(const __grid_constant__ AttentionParameters parameters)
{
  v2_backward_keys<Bf16, FLASHGATE_HEAD_DIM, false>(parameters);
}

extern "C" __global__ void __launch_bounds__(BackwardShape<FLASHGATE_HEAD_DIM>::kThreads)
    FLASHGATE_ENTRY(v2_backward_queries_bf16_d,
                    FLASHGATE_HEAD_DIM)(const __grid_constant__ AttentionParameters parameters)
{
  v2_backward_queries<Bf16, FLASHGATE_HEAD_DIM>(parameters);
}

extern "C" __global__ void __launch_bounds__(BackwardShape<FLASHGATE_HEAD_DIM>::kThreads)
    FLASHGATE_ENTRY(v2_backward_atomic_bf16_d,
                    FLASHGATE_HEAD_DIM)(const __grid_constant__ AttentionParameters parameters)
{
  v2_backward_keys<Bf16, FLASHGATE_HEAD_DIM, true>(parameters);
}

extern "C" __global__ void __launch_bounds__(BackwardShape<FLASHGATE_HEAD_DIM>::kThreads)
    FLASHGATE_ENTRY(v2_backward_keys_fp16_d, FLASHGATE_HEAD_DIM)(const __grid_constant__ AttentionParameters parameters)
{
  v2_backward_keys<Fp16, FLASHGATE_HEAD_DIM, false>(parameters);
}

extern "C" __global__ void __launch_bounds__(BackwardShape<FLASHGATE_HEAD_DIM>::kThreads)
    FLASHGATE_ENTRY(v2_backward_queries_fp16_d,
                    FLASHGATE_HEAD_DIM)(const __grid_constant__ AttentionParameters parameters)
{
  v2_backward_queries<Fp16, FLASHGATE_HEAD_DIM>(parameters);
}

extern "C" __global__ void __launch_bounds__(BackwardShape<FLASHGATE_HEAD_DIM>::kThreads)
    FLASHGATE_ENTRY(v2_backward_atomic_fp16_d,
                    FLASHGATE_HEAD_DIM)(const __grid_constant__ AttentionParameters parameters)
{
  v2_backward_keys<Fp16, FLASHGATE_HEAD_DIM, true>(parameters);
}

}  // namespace flashgate::gpu::kernels
