// A two-stage pipeline always leaves one group pending, also in its last step, where that is the one it reads.
#include <cuda_pipeline.h>

#include "tests/gpu/programs/program.cuh"

template <bool kGood>
__global__ void sum_rows(const int* in, int* out, int rows)
{
  __shared__ alignas(16) int stage[2][64 * 4];
  const int t = threadIdx.x;
  int sum = 0;
  __pipeline_memcpy_async(&stage[0][4 * t], in + 4 * t, 16);
  __pipeline_commit();
  for (int row = 0; row < rows; ++row) {
    if (row + 1 < rows) {
      __pipeline_memcpy_async(&stage[(row + 1) % 2][4 * t], in + (row + 1) * 256 + 4 * t, 16);
      __pipeline_commit();
    }
    if (kGood && row + 1 == rows) {
      __pipeline_wait_prior(0);
    } else {
      __pipeline_wait_prior(1);
    }
    __syncthreads();
    for (int i = 0; i < 4; ++i)
      sum += stage[row % 2][t + 64 * i];  // FAULT: async-read ALSO: uninit-shared
    __syncthreads();
  }
  out[t] = sum;
}

int main(int argc, char** argv)
{
  const bool good = asks_for_good(argc, argv);
  const int rows = 4;
  const std::vector<int> in = sample(rows * 256, 1000);
  std::vector<int> want(64, 0);
  for (size_t i = 0; i < in.size(); ++i)
    want[i % 64] += in[i];
  const DeviceArray<int> device_in(in);
  const DeviceArray<int> device_out(64);
  (good ? sum_rows<true> : sum_rows<false>)<<<1, 64>>>(device_in, device_out, rows);
  finish();
  return verify(device_out.download(), want);
}
