// Right: float and double atomics on global and shared memory, with sums that are exact in any order.
#include <algorithm>

#include "tests/gpu/programs/program.cuh"

/// A maximum of floats by compare and swap of their bits.
__device__ void atomic_max(float* address, float value)
{
  int seen = atomicAdd(reinterpret_cast<int*>(address), 0);
  while (__int_as_float(seen) < value) {
    const int expected = seen;
    seen = atomicCAS(reinterpret_cast<int*>(address), expected, __float_as_int(value));
    if (seen == expected) break;
  }
}

__global__ void accumulate(const int* in, float* sum, double* wide, float* largest)
{
  __shared__ float local;
  __shared__ double local_wide;
  const int t = threadIdx.x;
  if (t == 0) {
    local = 0.0f;
    local_wide = 0.0;
  }
  __syncthreads();
  const float value = 0.25f * static_cast<float>(in[blockIdx.x * blockDim.x + t]);
  atomicAdd(&local, value);
  atomicAdd(&local_wide, value * 1e-3);
  atomic_max(largest, value);
  __syncthreads();
  if (t != 0) return;
  atomicAdd(sum, local);
  atomicAdd(wide, local_wide);
}

int main(int argc, char** argv)
{
  asks_for_good(argc, argv);
  const std::vector<int> in = sample(512, 1000);
  double total = 0;
  double largest = 0;
  for (int value : in) {
    total += 0.25 * value;
    largest = std::max(largest, 0.25 * value);
  }
  const DeviceArray<int> device_in(in);
  const DeviceArray<float> sum(std::vector<float>{0.0f});
  const DeviceArray<double> wide(std::vector<double>{0.0});
  const DeviceArray<float> device_largest(std::vector<float>{0.0f});
  accumulate<<<4, 128>>>(device_in, sum, wide, device_largest);
  finish();
  // A quarter of a whole number below 2^24 is exact; the double sum rounds in its last bits.
  const std::vector<double> got = {sum.download()[0], wide.download()[0], device_largest.download()[0]};
  return verify(got, {total, total * 1e-3, largest}, 1e-9);
}
