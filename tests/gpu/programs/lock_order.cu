// Two threads move money between two accounts and lock them in opposite orders.
#include "tests/gpu/programs/program.cuh"

__device__ void lock(int* mutex)
{
  while (atomicCAS(mutex, 0, 1) != 0) {  // FAULT: hang
  }
  __threadfence();
}

__device__ void unlock(int* mutex)
{
  __threadfence();
  atomicExch(mutex, 0);
}

template <bool kGood>
__global__ void transfer(int* balance, int* mutex)
{
  if (threadIdx.x >= 2) return;
  const int from = threadIdx.x;
  const int to = 1 - from;
  const int first = kGood ? min(from, to) : from;
  lock(&mutex[first]);
  lock(&mutex[1 - first]);  // FAULT: hang
  balance[from] -= 10 + from;
  balance[to] += 10 + from;
  unlock(&mutex[1 - first]);
  unlock(&mutex[first]);
}

int main(int argc, char** argv)
{
  const bool good = asks_for_good(argc, argv);
  const DeviceArray<int> balance(std::vector<int>{100, 200});
  const DeviceArray<int> mutex(std::vector<int>{0, 0});
  (good ? transfer<true> : transfer<false>)<<<1, 32>>>(balance, mutex);
  finish();
  return verify(balance.download(), {101, 199});
}
