// Attention with FlashMask columns, a block per query row: a small kernel to show how somebody's own is judged. Build it
// with `nvcc -ptx -lineinfo -arch=compute_80 attention_row.cu`; attention_row.toml says what its arguments are, and
// docs/add_a_kernel.md how the two are used.
//   q, o [batch, heads, seqlen_q, head_dim], k, v [batch, kv heads, seqlen_k, head_dim], lse [batch, heads, seqlen_q]
//   indices [batch, mask heads, seqlen_k, mask_columns]; grid (seqlen_q, heads, batch); shared: seqlen_k floats
#include <cuda_bf16.h>

constexpr int kThreads = 64;
constexpr int kLargestHeadDim = 256;

// True if row i is masked at key j, whose bounds are b (docs/mask_semantics.md).
__device__ bool is_masked(int i, int j, const int* b, int mask_columns, bool is_causal)
{
  if (is_causal && j > i) return true;
  if (mask_columns == 0) return false;
  if (mask_columns == 1) return i >= b[0];
  if (mask_columns == 4) return (i >= b[0] && i < b[1]) || (i >= b[2] && i < b[3]);
  return is_causal ? i >= b[0] && i < b[1] : i >= b[0] || i < b[1];
}

extern "C" __global__ void __launch_bounds__(kThreads)
    attention_row_bf16(const __nv_bfloat16* q, const __nv_bfloat16* k, const __nv_bfloat16* v, __nv_bfloat16* o,
                       float* lse, const int* indices, int num_heads, int num_heads_kv, int mask_heads,
                       int mask_columns, int seqlen_q, int seqlen_k, int head_dim, int is_causal, float softmax_scale)
{
  extern __shared__ float p[];  // scores, then probabilities, of this row
  __shared__ float q_row[kLargestHeadDim];
  const int i = blockIdx.x;
  const int t = threadIdx.x;
  const size_t head = size_t{blockIdx.z} * num_heads + blockIdx.y;
  const size_t head_kv = size_t{blockIdx.z} * num_heads_kv + blockIdx.y / (num_heads / num_heads_kv);
  const size_t mask_head = size_t{blockIdx.z} * mask_heads + blockIdx.y / (num_heads / mask_heads);
  const size_t row = head * seqlen_q + i;

  for (int d = t; d < head_dim; d += kThreads)
    q_row[d] = __bfloat162float(q[row * head_dim + d]);
  __syncthreads();  // Q is there

  for (int j = t; j < seqlen_k; j += kThreads) {
    const __nv_bfloat16* k_row = k + (head_kv * seqlen_k + j) * head_dim;
    float score = 0.0f;
    for (int d = 0; d < head_dim; ++d)
      score += q_row[d] * __bfloat162float(k_row[d]);
    const int* bounds = indices + (mask_head * seqlen_k + j) * mask_columns;
    p[j] = is_masked(i, j, bounds, mask_columns, is_causal) ? -INFINITY : softmax_scale * score;
  }
  __syncthreads();  // all scores are there

  float row_max = -INFINITY;
  for (int j = 0; j < seqlen_k; ++j)
    row_max = fmaxf(row_max, p[j]);
  const float base = row_max == -INFINITY ? 0.0f : row_max;  // a fully masked row
  __syncthreads();  // nobody reads scores any more
  for (int j = t; j < seqlen_k; j += kThreads)
    p[j] = expf(p[j] - base);
  __syncthreads();  // all probabilities are there

  float row_sum = 0.0f;
  for (int j = 0; j < seqlen_k; ++j)
    row_sum += p[j];
  const float inverse = row_sum == 0.0f ? 0.0f : 1.0f / row_sum;

  for (int d = t; d < head_dim; d += kThreads) {
    float sum = 0.0f;
    for (int j = 0; j < seqlen_k; ++j)
      if (p[j] > 0.0f) sum += p[j] * __bfloat162float(v[(head_kv * seqlen_k + j) * head_dim + d]);
    o[row * head_dim + d] = __float2bfloat16(sum * inverse);
  }
  if (t == 0) lse[row] = row_sum == 0.0f ? -INFINITY : base + logf(row_sum);
}
