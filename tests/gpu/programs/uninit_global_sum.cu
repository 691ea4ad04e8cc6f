// A kernel adds to a buffer that was allocated and never zeroed.
#include "tests/gpu/programs/program.cuh"

__global__ void add_rows(const int* in, int* sum, int columns)
{
  const int column = blockIdx.x * blockDim.x + threadIdx.x;
  atomicAdd(&sum[column], in[blockIdx.y * columns + column]);  // FAULT: uninit-global
}

int main(int argc, char** argv)
{
  const bool good = asks_for_good(argc, argv);
  const int rows = 3;
  const int columns = 128;
  const std::vector<int> in = sample(rows * columns, 1000);
  std::vector<int> want(columns, 0);
  for (int i = 0; i < rows * columns; ++i)
    want[i % columns] += in[i];
  const DeviceArray<int> device_in(in);
  const DeviceArray<int> sum(columns);
  if (good) CUDA_CHECK(cudaMemset(sum, 0, columns * sizeof(int)));
  add_rows<<<dim3(2, rows), 64>>>(device_in, sum, columns);
  finish();
  return verify(sum.download(), want);
}
