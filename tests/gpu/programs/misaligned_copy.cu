// An asynchronous copy of 16 bytes starts at an address that is a multiple of 4 only.
#include "tests/gpu/programs/async_copy.cuh"
#include "tests/gpu/programs/program.cuh"

template <bool kGood>
__global__ void shift_left(const int* in, int* out)
{
  __shared__ alignas(16) int tile[4 * 32 + 4];
  const int t = threadIdx.x;
  const int skip = kGood ? 0 : 1;
  copy_async_16(&tile[4 * t], in + 4 * t + skip);  // FAULT: misaligned
  if (t == 0) copy_async_16(&tile[128], in + 128);
  commit_copies();
  wait_for_copies<0>();
  __syncthreads();
  for (int i = t; i < 128; i += 32)
    out[i] = tile[i + 1 - skip];  // ALSO: async-read, uninit-shared
}

int main(int argc, char** argv)
{
  const bool good = asks_for_good(argc, argv);
  const std::vector<int> in = sample(132, 1000);
  const DeviceArray<int> device_in(in);
  const DeviceArray<int> device_out(128);
  (good ? shift_left<true> : shift_left<false>)<<<1, 32>>>(device_in, device_out);
  finish();
  return verify(device_out.download(), {in.begin() + 1, in.begin() + 129});
}
