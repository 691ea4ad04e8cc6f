// A block publishes a row by a flag without a fence between the row and the flag.
#include "tests/gpu/programs/program.cuh"

template <bool kGood>
__global__ void pass_on(const int* in, int* row, volatile int* flag, int* out)
{
  const int t = threadIdx.x;
  if (blockIdx.x == 0) {
    row[t] = in[t] * 3;  // FAULT: race-global
    if constexpr (kGood) __threadfence();
    __syncthreads();
    if (t == 0) *flag = 1;
  } else {
    if (t == 0) {
      while (*flag == 0) {
      }
      if constexpr (kGood) __threadfence();
    }
    __syncthreads();
    out[t] = row[63 - t];  // FAULT: race-global
  }
}

int main(int argc, char** argv)
{
  const bool good = asks_for_good(argc, argv);
  const std::vector<int> in = sample(64, 1000);
  std::vector<int> want(64);
  for (int i = 0; i < 64; ++i)
    want[i] = in[63 - i] * 3;
  const DeviceArray<int> device_in(in);
  const DeviceArray<int> row(64);
  const DeviceArray<int> flag(std::vector<int>{0});
  const DeviceArray<int> device_out(64);
  (good ? pass_on<true> : pass_on<false>)<<<2, 64>>>(device_in, row, flag, device_out);
  finish();
  return verify(device_out.download(), want);
}
