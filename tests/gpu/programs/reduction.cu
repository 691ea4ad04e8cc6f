// Right: a sum over a large array: vector loads, warp shuffles, one partial sum per block, and a second launch.
#include "tests/gpu/programs/program.cuh"

constexpr int kThreads = 256;

__device__ int block_sum(int value)
{
  __shared__ int partial[kThreads / 32];
  const int lane = threadIdx.x % 32;
  const int warp = threadIdx.x / 32;
  for (int distance = 16; distance > 0; distance /= 2)
    value += __shfl_down_sync(0xffffffffu, value, distance);
  if (lane == 0) partial[warp] = value;
  __syncthreads();
  if (warp == 0) {
    value = lane < kThreads / 32 ? partial[lane] : 0;
    for (int distance = 16; distance > 0; distance /= 2)
      value += __shfl_down_sync(0xffffffffu, value, distance);
  }
  return value;  // of the whole block in thread 0
}

__global__ void __launch_bounds__(kThreads) reduce(const int* in, int* out, int n)
{
  const int threads = gridDim.x * kThreads;
  const int first = blockIdx.x * kThreads + threadIdx.x;
  int sum = 0;
  for (int i = first; i < n / 4; i += threads) {
    const int4 four = reinterpret_cast<const int4*>(in)[i];
    sum += four.x + four.y + four.z + four.w;
  }
  for (int i = n / 4 * 4 + first; i < n; i += threads)
    sum += in[i];
  sum = block_sum(sum);
  if (threadIdx.x == 0) out[blockIdx.x] = sum;
}

int main(int argc, char** argv)
{
  asks_for_good(argc, argv);
  std::vector<int> got;
  std::vector<int> want;
  for (int n : {1, 31, 256, 1000, 100003}) {
    const std::vector<int> in = sample(n, 1000);
    int sum = 0;
    for (int value : in)
      sum += value;
    const int blocks = n > 8 * 4 * kThreads ? 8 : 1;
    const DeviceArray<int> device_in(in);
    const DeviceArray<int> partial(blocks);
    const DeviceArray<int> total(1);
    reduce<<<blocks, kThreads>>>(device_in, partial, n);
    reduce<<<1, kThreads>>>(partial, total, blocks);
    finish();
    got.push_back(total.download()[0]);
    want.push_back(sum);
  }
  return verify(got, want);
}
