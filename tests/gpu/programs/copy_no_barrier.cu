// Each warp waits for its own copies and then reads another warp's, without a barrier in between.
#include "tests/gpu/programs/async_copy.cuh"
#include "tests/gpu/programs/program.cuh"

template <bool kGood>
__global__ void reverse(const int* in, int* out)
{
  __shared__ alignas(16) int tile[512];
  const int t = threadIdx.x;
  copy_async_16(&tile[4 * t], in + 4 * t);  // FAULT: race-shared
  commit_copies();
  wait_for_copies<0>();
  if constexpr (kGood) __syncthreads();
  for (int i = t; i < 512; i += 128)
    out[i] = tile[511 - i];  // FAULT: race-shared ALSO: async-read, uninit-shared
}

int main(int argc, char** argv)
{
  const bool good = asks_for_good(argc, argv);
  const std::vector<int> in = sample(512, 1000);
  const DeviceArray<int> device_in(in);
  const DeviceArray<int> device_out(512);
  (good ? reverse<true> : reverse<false>)<<<1, 128>>>(device_in, device_out);
  finish();
  return verify(device_out.download(), {in.rbegin(), in.rend()});
}
