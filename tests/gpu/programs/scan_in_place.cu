// A prefix sum that overwrites elements which other threads of the same step have yet to read.
#include "tests/gpu/programs/program.cuh"

template <bool kGood>
__global__ void prefix_sum(const int* in, int* out)
{
  __shared__ int value[256];
  const int t = threadIdx.x;
  value[t] = in[t];
  __syncthreads();
  for (int distance = 1; distance < 256; distance *= 2) {
    const int left = t >= distance ? value[t - distance] : 0;  // FAULT: race-shared
    if constexpr (kGood) __syncthreads();
    value[t] += left;  // FAULT: race-shared
    __syncthreads();
  }
  out[t] = value[t];
}

int main(int argc, char** argv)
{
  const bool good = asks_for_good(argc, argv);
  const std::vector<int> in = sample(256, 1000);
  std::vector<int> want = in;
  for (int i = 1; i < 256; ++i)
    want[i] += want[i - 1];
  const DeviceArray<int> device_in(in);
  const DeviceArray<int> device_out(256);
  (good ? prefix_sum<true> : prefix_sum<false>)<<<1, 256>>>(device_in, device_out);
  finish();
  return verify(device_out.download(), want);
}
