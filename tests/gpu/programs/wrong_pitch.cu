// A pitch in bytes is taken for a pitch in elements.
#include "tests/gpu/programs/program.cuh"

template <bool kGood>
__global__ void double_rows(float* data, size_t pitch, int columns, int rows)
{
  const int x = threadIdx.x;
  const int y = blockIdx.x;
  if (x >= columns || y >= rows) return;
  const size_t elements = kGood ? pitch / sizeof(float) : pitch;
  data[y * elements + x] *= 2.0f;  // FAULT: out-of-bounds ALSO: uninit-global
}

int main(int argc, char** argv)
{
  const bool good = asks_for_good(argc, argv);
  const int columns = 50;
  const int rows = 20;
  const std::vector<int> whole = sample(rows * columns, 1000);
  const std::vector<float> in(whole.begin(), whole.end());
  std::vector<float> want = in;
  for (float& value : want)
    value *= 2.0f;
  const size_t width = columns * sizeof(float);
  float* data = nullptr;
  size_t pitch = 0;
  CUDA_CHECK(cudaMallocPitch(&data, &pitch, width, rows));
  CUDA_CHECK(cudaMemcpy2D(data, pitch, in.data(), width, width, rows, cudaMemcpyHostToDevice));
  (good ? double_rows<true> : double_rows<false>)<<<rows, 64>>>(data, pitch, columns, rows);
  finish();
  std::vector<float> got(rows * columns);
  CUDA_CHECK(cudaMemcpy2D(got.data(), width, data, pitch, width, rows, cudaMemcpyDeviceToHost));
  CUDA_CHECK(cudaFree(data));
  return verify(got, want);
}
