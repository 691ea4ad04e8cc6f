// v2_forward_bf16_d64 and v2_forward_fp16_d64, or whatever FLASHGATE_HEAD_DIM says: one file of PTX per head dim.
// Grid (blocks of query rows, query heads, batch).
#include "gpu/kernels/entry_name.cuh"
#include "gpu/kernels/v2_forward.cuh"

namespace flashgate::gpu::kernels {

extern "C" __global__ void __launch_bounds__(ForwardShape<FLASHGATE_HEAD_DIM>::kThreads, 1)
    FLASHGATE_ENTRY(v2_forward_bf16_d, FLASHGATE_HEAD_DIM)(const __grid_constant__ AttentionParameters parameters)
{
  v2_forward<Bf16, FLASHGATE_HEAD_DIM>(parameters);
}

extern "C" __global__ void __launch_bounds__(ForwardShape<FLASHGATE_HEAD_DIM>::kThreads, 1)
    FLASHGATE_ENTRY(v2_forward_fp16_d, FLASHGATE_HEAD_DIM)(const __grid_constant__ AttentionParameters parameters)
{
  v2_forward<Fp16, FLASHGATE_HEAD_DIM>(parameters);
}

}  // namespace flashgate::gpu::kernels
