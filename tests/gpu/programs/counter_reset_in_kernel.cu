// One thread resets a counter by a plain store in the launch in which the others count by atomics.
#include "tests/gpu/programs/program.cuh"

template <bool kGood>
__global__ void count_large(const int* in, int* counter, int limit)
{
  if (!kGood && blockIdx.x == 0 && threadIdx.x == 0) *counter = 0;  // FAULT: race-global
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (in[i] >= limit) atomicAdd(counter, 1);  // FAULT: race-global
}

int main(int argc, char** argv)
{
  const bool good = asks_for_good(argc, argv);
  const std::vector<int> in = sample(512, 1000);
  int large = 0;
  for (int value : in)
    large += value >= 500;
  const DeviceArray<int> device_in(in);
  const DeviceArray<int> counter(1);
  CUDA_CHECK(cudaMemset(counter, 0, sizeof(int)));
  (good ? count_large<true> : count_large<false>)<<<4, 128>>>(device_in, counter, 500);
  finish();
  return verify(counter.download(), {large});
}
