// Two warps meet at a named barrier that expects three.
#include "tests/gpu/programs/program.cuh"

__device__ void meet(int barrier, int threads)
{
  asm volatile("bar.sync %0, %1;" ::"r"(barrier), "r"(threads) : "memory");  // FAULT: hang
}

template <bool kGood>
__global__ void swap_warps(const int* in, int* out)
{
  __shared__ int tile[128];
  const int t = threadIdx.x;
  const int pair = t / 64;
  tile[t] = in[t];
  meet(1 + pair, kGood ? 64 : 96);  // FAULT: hang
  out[t] = tile[t ^ 32];
}

int main(int argc, char** argv)
{
  const bool good = asks_for_good(argc, argv);
  const std::vector<int> in = sample(128, 1000);
  std::vector<int> want(128);
  for (int i = 0; i < 128; ++i)
    want[i] = in[i ^ 32];
  const DeviceArray<int> device_in(in);
  const DeviceArray<int> device_out(128);
  (good ? swap_warps<true> : swap_warps<false>)<<<1, 128>>>(device_in, device_out);
  finish();
  return verify(device_out.download(), want);
}
