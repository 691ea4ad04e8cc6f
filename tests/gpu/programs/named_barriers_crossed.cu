// Two warps wait at the same two barriers in opposite orders.
#include "tests/gpu/programs/program.cuh"

__device__ void meet(int barrier)
{
  asm volatile("bar.sync %0, 64;" ::"r"(barrier) : "memory");  // FAULT: hang
}

template <bool kGood>
__global__ void rotate_twice(const int* in, int* out)
{
  __shared__ int tile[64];
  const int t = threadIdx.x;
  const int first = kGood || t < 32 ? 1 : 2;
  tile[t] = in[t];
  meet(first);  // FAULT: hang
  const int value = tile[(t + 1) % 64];
  meet(3 - first);  // FAULT: hang
  tile[t] = value;
  meet(first);  // FAULT: hang
  out[t] = tile[(t + 1) % 64];
}

int main(int argc, char** argv)
{
  const bool good = asks_for_good(argc, argv);
  const std::vector<int> in = sample(64, 1000);
  std::vector<int> want(64);
  for (int i = 0; i < 64; ++i)
    want[i] = in[(i + 2) % 64];
  const DeviceArray<int> device_in(in);
  const DeviceArray<int> device_out(64);
  (good ? rotate_twice<true> : rotate_twice<false>)<<<1, 64>>>(device_in, device_out);
  finish();
  return verify(device_out.download(), want);
}
