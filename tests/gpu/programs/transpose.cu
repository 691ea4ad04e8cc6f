// Right: a transpose of any shape through a padded tile of shared memory, four rows per thread.
#include "tests/gpu/programs/program.cuh"

constexpr int kTile = 32;
constexpr int kRows = 8;

__global__ void transpose(const float* in, float* out, int rows, int columns)
{
  __shared__ float tile[kTile][kTile + 1];
  const int column = blockIdx.x * kTile + threadIdx.x;
  for (int y = threadIdx.y; y < kTile; y += kRows) {
    const int row = blockIdx.y * kTile + y;
    if (row < rows && column < columns) tile[y][threadIdx.x] = in[row * columns + column];
  }
  __syncthreads();
  const int row = blockIdx.y * kTile + threadIdx.x;
  for (int y = threadIdx.y; y < kTile; y += kRows) {
    const int out_row = blockIdx.x * kTile + y;
    if (out_row < columns && row < rows) out[out_row * rows + row] = tile[threadIdx.x][y];
  }
}

int main(int argc, char** argv)
{
  asks_for_good(argc, argv);
  const int rows = 100;
  const int columns = 70;
  const std::vector<int> whole = sample(rows * columns, 1 << 20);
  const std::vector<float> in(whole.begin(), whole.end());
  std::vector<float> want(in.size());
  for (int i = 0; i < rows; ++i) {
    for (int j = 0; j < columns; ++j)
      want[j * rows + i] = in[i * columns + j];
  }
  const DeviceArray<float> device_in(in);
  const DeviceArray<float> device_out(in.size());
  const dim3 grid((columns + kTile - 1) / kTile, (rows + kTile - 1) / kTile);
  transpose<<<grid, dim3(kTile, kRows)>>>(device_in, device_out, rows, columns);
  finish();
  return verify(device_out.download(), want);
}
