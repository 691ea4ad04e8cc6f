// Right: an inclusive prefix sum over several blocks: scan each block, scan the blocks' sums, add them.
#include "tests/gpu/programs/program.cuh"

constexpr int kThreads = 128;

/// The inclusive sum over the threads up to this one. Every thread of the block calls it.
__device__ int block_scan(int value)
{
  __shared__ int warp_sum[kThreads / 32];
  const int lane = threadIdx.x % 32;
  const int warp = threadIdx.x / 32;
  for (int distance = 1; distance < 32; distance *= 2) {
    const int left = __shfl_up_sync(0xffffffffu, value, distance);
    if (lane >= distance) value += left;
  }
  if (lane == 31) warp_sum[warp] = value;
  __syncthreads();
  for (int i = 0; i < warp; ++i)
    value += warp_sum[i];
  return value;
}

__global__ void scan_blocks(const int* in, int* out, int* block_sum, int n)
{
  const int i = blockIdx.x * kThreads + threadIdx.x;
  const int value = block_scan(i < n ? in[i] : 0);
  if (i < n) out[i] = value;
  if (block_sum != nullptr && threadIdx.x == kThreads - 1) block_sum[blockIdx.x] = value;
}

__global__ void add_sums(int* out, const int* block_sum, int n)
{
  const int i = blockIdx.x * kThreads + threadIdx.x;
  if (blockIdx.x > 0 && i < n) out[i] += block_sum[blockIdx.x - 1];
}

int main(int argc, char** argv)
{
  asks_for_good(argc, argv);
  const int n = 5000;
  const int blocks = (n + kThreads - 1) / kThreads;
  const std::vector<int> in = sample(n, 1000);
  std::vector<int> want = in;
  for (int i = 1; i < n; ++i)
    want[i] += want[i - 1];
  const DeviceArray<int> device_in(in);
  const DeviceArray<int> device_out(n);
  const DeviceArray<int> block_sum(blocks);
  scan_blocks<<<blocks, kThreads>>>(device_in, device_out, block_sum, n);
  scan_blocks<<<1, kThreads>>>(block_sum, block_sum, nullptr, blocks);
  add_sums<<<blocks, kThreads>>>(device_out, block_sum, n);
  finish();
  return verify(device_out.download(), want);
}
