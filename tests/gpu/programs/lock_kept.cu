// A thread that finds nothing to do returns without giving its lock back.
#include "tests/gpu/programs/program.cuh"

template <bool kGood>
__global__ void take_largest(const int* in, int* best, int* mutex)
{
  if (threadIdx.x % 32 != 0) return;
  const int value = in[threadIdx.x / 32];
  while (atomicCAS(mutex, 0, 1) != 0) {  // FAULT: hang
  }
  __threadfence();
  if (value <= *best) {
    if constexpr (kGood) atomicExch(mutex, 0);
    return;
  }
  *best = value;
  __threadfence();
  atomicExch(mutex, 0);
}

int main(int argc, char** argv)
{
  const bool good = asks_for_good(argc, argv);
  const DeviceArray<int> device_in(std::vector<int>{5, 5, 5, 5});
  const DeviceArray<int> best(std::vector<int>{0});
  const DeviceArray<int> mutex(std::vector<int>{0});
  (good ? take_largest<true> : take_largest<false>)<<<1, 128>>>(device_in, best, mutex);
  finish();
  return verify(best.download(), {5});
}
