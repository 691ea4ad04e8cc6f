// Threads of a block count into the same shared bins without atomics, so counts are lost.
#include "tests/gpu/programs/program.cuh"

template <bool kGood>
__global__ void count(const int* in, int* bins, int n)
{
  __shared__ int local[16];
  const int t = threadIdx.x;
  if (t < 16) local[t] = 0;
  __syncthreads();
  for (int i = t; i < n; i += blockDim.x) {
    if constexpr (kGood) {
      atomicAdd(&local[in[i]], 1);
    } else {
      ++local[in[i]];  // FAULT: race-shared
    }
  }
  __syncthreads();
  if (t < 16) bins[t] = local[t];
}

int main(int argc, char** argv)
{
  const bool good = asks_for_good(argc, argv);
  const std::vector<int> in = sample(1000, 16);
  std::vector<int> want(16, 0);
  for (int value : in)
    ++want[value];
  const DeviceArray<int> device_in(in);
  const DeviceArray<int> device_bins(16);
  (good ? count<true> : count<false>)<<<1, 128>>>(device_in, device_bins, 1000);
  finish();
  return verify(device_bins.download(), want);
}
