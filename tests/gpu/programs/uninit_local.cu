// A per-thread array is filled as far as the input goes and read as a whole.
#include "tests/gpu/programs/program.cuh"

template <bool kGood>
__global__ void pick(const int* in, const int* index, int* out, int n)
{
  int value[16];
  for (int i = 0; i < n; ++i)
    value[i] = in[i] + threadIdx.x;
  for (int i = n; kGood && i < 16; ++i)
    value[i] = 0;
  out[threadIdx.x] = value[index[threadIdx.x] % 16];  // FAULT: uninit-local
}

int main(int argc, char** argv)
{
  const bool good = asks_for_good(argc, argv);
  const int n = 12;
  const std::vector<int> in = sample(16, 1000, 1);
  const std::vector<int> index = sample(64, 1000, 2);
  std::vector<int> want(64);
  for (int t = 0; t < 64; ++t)
    want[t] = index[t] % 16 < n ? in[index[t] % 16] + t : 0;
  const DeviceArray<int> device_in(in);
  const DeviceArray<int> device_index(index);
  const DeviceArray<int> device_out(64);
  (good ? pick<true> : pick<false>)<<<1, 64>>>(device_in, device_index, device_out, n);
  finish();
  return verify(device_out.download(), want);
}
