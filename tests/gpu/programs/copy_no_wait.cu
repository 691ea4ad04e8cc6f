// A thread reads what it copied asynchronously without waiting for the copy.
#include "tests/gpu/programs/async_copy.cuh"
#include "tests/gpu/programs/program.cuh"

template <bool kGood>
__global__ void sum_fours(const int* in, int* out)
{
  __shared__ alignas(16) int tile[64 * 4];
  const int t = threadIdx.x;
  copy_async_16(&tile[4 * t], in + 4 * t);
  commit_copies();
  if constexpr (kGood) wait_for_copies<0>();
  const int4 four = reinterpret_cast<const int4*>(tile)[t];  // FAULT: async-read ALSO: uninit-shared
  out[t] = four.x + four.y + four.z + four.w;
}

int main(int argc, char** argv)
{
  const bool good = asks_for_good(argc, argv);
  const std::vector<int> in = sample(256, 1000);
  std::vector<int> want(64, 0);
  for (int i = 0; i < 256; ++i)
    want[i / 4] += in[i];
  const DeviceArray<int> device_in(in);
  const DeviceArray<int> device_out(64);
  (good ? sum_fours<true> : sum_fours<false>)<<<1, 64>>>(device_in, device_out);
  finish();
  return verify(device_out.download(), want);
}
