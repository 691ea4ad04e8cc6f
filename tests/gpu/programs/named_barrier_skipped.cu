// One of the warps that a named barrier counts takes a shortcut past it.
#include "tests/gpu/programs/program.cuh"

template <bool kGood>
__global__ void add_last(const int* in, int* out)
{
  __shared__ int tile[128];
  const int t = threadIdx.x;
  const int warp = t / 32;
  tile[t] = in[t];
  if (kGood || warp != 2) asm volatile("bar.sync 3, 128;" ::: "memory");  // FAULT: hang
  out[t] = warp == 2 ? in[t] : tile[t] + tile[127];
}

int main(int argc, char** argv)
{
  const bool good = asks_for_good(argc, argv);
  const std::vector<int> in = sample(128, 1000);
  std::vector<int> want(128);
  for (int i = 0; i < 128; ++i)
    want[i] = i / 32 == 2 ? in[i] : in[i] + in[127];
  const DeviceArray<int> device_in(in);
  const DeviceArray<int> device_out(128);
  (good ? add_last<true> : add_last<false>)<<<1, 128>>>(device_in, device_out);
  finish();
  return verify(device_out.download(), want);
}
