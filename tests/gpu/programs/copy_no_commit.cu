// The second copy is never committed, so waiting for all groups does not wait for it.
#include "tests/gpu/programs/async_copy.cuh"
#include "tests/gpu/programs/program.cuh"

template <bool kGood>
__global__ void add(const int* left, const int* right, int* out)
{
  __shared__ alignas(16) int tile[2][128];
  const int t = threadIdx.x;
  copy_async_16(&tile[0][4 * t], left + 4 * t);
  commit_copies();
  copy_async_16(&tile[1][4 * t], right + 4 * t);
  if constexpr (kGood) commit_copies();
  wait_for_copies<0>();
  __syncthreads();
  for (int i = t; i < 128; i += 32)
    out[i] = tile[0][i] + tile[1][i];  // FAULT: async-read ALSO: uninit-shared
}

int main(int argc, char** argv)
{
  const bool good = asks_for_good(argc, argv);
  const std::vector<int> left = sample(128, 1000, 1);
  const std::vector<int> right = sample(128, 1000, 2);
  std::vector<int> want(128);
  for (int i = 0; i < 128; ++i)
    want[i] = left[i] + right[i];
  const DeviceArray<int> device_left(left);
  const DeviceArray<int> device_right(right);
  const DeviceArray<int> device_out(128);
  (good ? add<true> : add<false>)<<<1, 32>>>(device_left, device_right, device_out);
  finish();
  return verify(device_out.download(), want);
}
