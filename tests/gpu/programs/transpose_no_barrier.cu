// A transpose through shared memory that reads the tile without waiting for the other warps to fill it.
#include "tests/gpu/programs/program.cuh"

template <bool kGood>
__global__ void transpose(const int* in, int* out, int rows, int columns)
{
  __shared__ int tile[16][17];
  const int x = threadIdx.x;
  const int y = threadIdx.y;
  tile[y][x] = in[(blockIdx.y * 16 + y) * columns + blockIdx.x * 16 + x];  // FAULT: race-shared
  if constexpr (kGood) __syncthreads();
  out[(blockIdx.x * 16 + y) * rows + blockIdx.y * 16 + x] = tile[x][y];  // FAULT: race-shared ALSO: uninit-shared
}

int main(int argc, char** argv)
{
  const bool good = asks_for_good(argc, argv);
  const int rows = 32;
  const int columns = 48;
  const std::vector<int> in = sample(rows * columns, 1000);
  std::vector<int> want(in.size());
  for (int i = 0; i < rows; ++i) {
    for (int j = 0; j < columns; ++j)
      want[j * rows + i] = in[i * columns + j];
  }
  const DeviceArray<int> device_in(in);
  const DeviceArray<int> device_out(in.size());
  const dim3 grid(columns / 16, rows / 16);
  (good ? transpose<true> : transpose<false>)<<<grid, dim3(16, 16)>>>(device_in, device_out, rows, columns);
  finish();
  return verify(device_out.download(), want);
}
