// A stage is refilled as soon as one warp has read it, while the others may still be reading.
#include "tests/gpu/programs/async_copy.cuh"
#include "tests/gpu/programs/program.cuh"

template <bool kGood>
__global__ void sum_rows(const int* in, int* out, int rows)
{
  __shared__ alignas(16) int stage[512];
  const int t = threadIdx.x;
  int sum = 0;
  for (int row = 0; row < rows; ++row) {
    copy_async_16(&stage[4 * t], in + row * 512 + 4 * t);  // FAULT: race-shared
    commit_copies();
    wait_for_copies<0>();
    __syncthreads();
    for (int i = 0; i < 4; ++i)
      sum += stage[t + 128 * i];  // FAULT: race-shared ALSO: async-read
    if constexpr (kGood) __syncthreads();
  }
  out[t] = sum;
}

int main(int argc, char** argv)
{
  const bool good = asks_for_good(argc, argv);
  const int rows = 3;
  const std::vector<int> in = sample(rows * 512, 1000);
  std::vector<int> want(128, 0);
  for (size_t i = 0; i < in.size(); ++i)
    want[i % 128] += in[i];
  const DeviceArray<int> device_in(in);
  const DeviceArray<int> device_out(128);
  (good ? sum_rows<true> : sum_rows<false>)<<<1, 128>>>(device_in, device_out, rows);
  finish();
  return verify(device_out.download(), want);
}
