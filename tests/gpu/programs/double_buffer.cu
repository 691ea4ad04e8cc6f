// Two buffers, but the next row goes into the one that is being read.
#include "tests/gpu/programs/program.cuh"

template <bool kGood>
__global__ void sum_rows(const int* in, int* out, int rows)
{
  __shared__ int buffer[2][128];
  const int t = threadIdx.x;
  buffer[0][t] = in[t];
  int sum = 0;
  for (int row = 0; row < rows; ++row) {
    __syncthreads();
    const int next = kGood ? (row + 1) % 2 : row % 2;
    const int value = row + 1 < rows ? in[(row + 1) * 128 + t] : 0;
    sum += buffer[row % 2][127 - t];  // FAULT: race-shared ALSO: uninit-shared
    buffer[next][t] = value;          // FAULT: race-shared
  }
  out[t] = sum;
}

int main(int argc, char** argv)
{
  const bool good = asks_for_good(argc, argv);
  const int rows = 6;
  const std::vector<int> in = sample(rows * 128, 1000);
  std::vector<int> want(128, 0);
  for (size_t i = 0; i < in.size(); ++i)
    want[127 - i % 128] += in[i];
  const DeviceArray<int> device_in(in);
  const DeviceArray<int> device_out(128);
  (good ? sum_rows<true> : sum_rows<false>)<<<1, 128>>>(device_in, device_out, rows);
  finish();
  return verify(device_out.download(), want);
}
