// All warps wait for a flag that the last warp should set; an off-by-one means that nobody does.
#include "tests/gpu/programs/program.cuh"

template <bool kGood>
__global__ void start_together(volatile int* flag, int* out)
{
  const int warp = threadIdx.x / 32;
  const int warps = blockDim.x / 32;
  if (warp == (kGood ? warps - 1 : warps)) *flag = 1;
  while (*flag == 0) {  // FAULT: hang
  }
  out[threadIdx.x] = warp;
}

int main(int argc, char** argv)
{
  const bool good = asks_for_good(argc, argv);
  std::vector<int> want(128);
  for (int i = 0; i < 128; ++i)
    want[i] = i / 32;
  const DeviceArray<int> flag(std::vector<int>{0});
  const DeviceArray<int> device_out(128);
  (good ? start_together<true> : start_together<false>)<<<1, 128>>>(flag, device_out);
  finish();
  return verify(device_out.download(), want);
}
