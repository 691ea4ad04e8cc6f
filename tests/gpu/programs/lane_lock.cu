// Every lane of a warp takes the same lock while its neighbours spin; the faulty one never gives it back.
#include "tests/gpu/programs/program.cuh"

template <bool kGood>
__global__ void append(const int* in, int* list, int* size, int* mutex)
{
  while (atomicCAS(mutex, 0, 1) != 0) {  // FAULT: hang
  }
  __threadfence();
  list[*size] = in[threadIdx.x];
  ++*size;
  __threadfence();
  if constexpr (kGood) atomicExch(mutex, 0);
}

int main(int argc, char** argv)
{
  const bool good = asks_for_good(argc, argv);
  const std::vector<int> in = sample(64, 1000);
  int want = 0;
  for (int value : in)
    want += value;
  const DeviceArray<int> device_in(in);
  const DeviceArray<int> list(64);
  const DeviceArray<int> size(std::vector<int>{0});
  const DeviceArray<int> mutex(std::vector<int>{0});
  (good ? append<true> : append<false>)<<<1, 64>>>(device_in, list, size, mutex);
  finish();
  int sum = 0;
  for (int value : list.download())
    sum += value;
  return verify({sum, size.download()[0]}, std::vector<int>{want, 64});
}
