// Blocks count into one global counter without an atomic.
#include "tests/gpu/programs/program.cuh"

template <bool kGood>
__global__ void count_odd(const int* in, int* counter, int n)
{
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const int odd = __syncthreads_count(i < n && in[i] % 2 == 1);
  if (threadIdx.x != 0) return;
  if constexpr (kGood) {
    atomicAdd(counter, odd);
  } else {
    *counter += odd;  // FAULT: race-global
  }
}

int main(int argc, char** argv)
{
  const bool good = asks_for_good(argc, argv);
  const int n = 1000;
  const std::vector<int> in = sample(n, 1000);
  int odd = 0;
  for (int value : in)
    odd += value % 2;
  const DeviceArray<int> device_in(in);
  const DeviceArray<int> counter(std::vector<int>{0});
  (good ? count_odd<true> : count_odd<false>)<<<8, 128>>>(device_in, counter, n);
  finish();
  return verify(counter.download(), {odd});
}
