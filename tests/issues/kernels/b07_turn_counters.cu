// What FlashAttention-3's deterministic backward does with a group of query heads: dV of a key block is added to by one
// block per query head, each waiting for its turn. The counters are the caller's to clear.
//   grid (key blocks, query heads, batch), 32 threads; dv, counters [batch, kv heads, key blocks, 32 or 1]
extern "C" __global__ void add_in_turn(const float* part, float* dv, int* counters, int num_heads_kv)
{
  const int group = gridDim.y / num_heads_kv;
  const int head_kv = blockIdx.y / group;
  const int key_block = (blockIdx.z * num_heads_kv + head_kv) * gridDim.x + blockIdx.x;
  int* turn = counters + key_block;
  if (threadIdx.x == 0 && group > 1) {
    while (atomicAdd(turn, 0) != blockIdx.y % group) {
    }
    __threadfence();
  }
  __syncthreads();
  const int from = ((blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x) * blockDim.x + threadIdx.x;
  float* to = dv + key_block * blockDim.x + threadIdx.x;
  *to = blockIdx.y % group == 0 ? part[from] : *to + part[from];
  if (group == 1) return;
  __threadfence();
  __syncthreads();
  if (threadIdx.x == 0) atomicAdd(turn, 1);
}
