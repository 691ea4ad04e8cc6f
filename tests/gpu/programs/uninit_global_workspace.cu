// The first kernel leaves out the workspace's last rows; the second reads them.
#include "tests/gpu/programs/program.cuh"

__global__ void row_sums(const int* in, int* sum, int rows)
{
  const int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= rows) return;
  int total = 0;
  for (int i = 0; i < 8; ++i)
    total += in[row * 8 + i];
  sum[row] = total;
}

__global__ void normalize(int* in, const int* sum, int n)
{
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) in[i] = in[i] * 100 / sum[i / 8];  // FAULT: uninit-global
}

int main(int argc, char** argv)
{
  const bool good = asks_for_good(argc, argv);
  const int rows = 70;
  std::vector<int> in = sample(rows * 8, 1000);
  for (int& value : in)
    ++value;
  std::vector<int> want(in.size());
  for (int row = 0; row < rows; ++row) {
    int total = 0;
    for (int i = 0; i < 8; ++i)
      total += in[row * 8 + i];
    for (int i = 0; i < 8; ++i)
      want[row * 8 + i] = in[row * 8 + i] * 100 / total;
  }
  const DeviceArray<int> device(in);
  const DeviceArray<int> sum(rows);
  const int blocks = good ? (rows + 31) / 32 : rows / 32;
  row_sums<<<blocks, 32>>>(device, sum, rows);
  normalize<<<(rows * 8 + 127) / 128, 128>>>(device, sum, rows * 8);
  finish();
  return verify(device.download(), want);
}
