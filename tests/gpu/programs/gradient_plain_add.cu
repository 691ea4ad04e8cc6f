// Blocks add their parts of a gradient by load, add and store, so parts are lost.
#include "tests/gpu/programs/program.cuh"

template <bool kGood>
__global__ void accumulate(const float* part, float* gradient, int columns)
{
  const int column = blockIdx.x * blockDim.x + threadIdx.x;
  const float value = part[blockIdx.y * columns + column];
  if constexpr (kGood) {
    atomicAdd(&gradient[column], value);
  } else {
    gradient[column] = gradient[column] + value;  // FAULT: race-global
  }
}

int main(int argc, char** argv)
{
  const bool good = asks_for_good(argc, argv);
  const int rows = 5;
  const int columns = 128;
  const std::vector<int> whole = sample(rows * columns, 256);
  const std::vector<float> part(whole.begin(), whole.end());
  std::vector<float> want(columns, 0.0f);
  for (int i = 0; i < rows * columns; ++i)
    want[i % columns] += part[i];
  const DeviceArray<float> device_part(part);
  const DeviceArray<float> gradient(std::vector<float>(columns, 0.0f));
  const dim3 grid(columns / 64, rows);
  (good ? accumulate<true> : accumulate<false>)<<<grid, 64>>>(device_part, gradient, columns);
  finish();
  return verify(gradient.download(), want);
}
