// Right: the softmax of each row by one block: running maximum and sum per thread, merged through shared memory.
#include "tests/gpu/programs/program.cuh"

constexpr int kThreads = 128;

struct Partial
{
  float max;  ///< of the elements seen
  float sum;  ///< of exp(element - max)
};

__device__ Partial merge(Partial a, Partial b)
{
  const float max = fmaxf(a.max, b.max);
  if (max == -INFINITY) return {max, 0.0f};
  return {max, a.sum * __expf(a.max - max) + b.sum * __expf(b.max - max)};
}

__device__ Partial warp_merge(Partial partial)
{
  for (int distance = 16; distance > 0; distance /= 2) {
    const float max = __shfl_xor_sync(0xffffffffu, partial.max, distance);
    const float sum = __shfl_xor_sync(0xffffffffu, partial.sum, distance);
    partial = merge(partial, {max, sum});
  }
  return partial;
}

__global__ void __launch_bounds__(kThreads) softmax(const float* in, float* out, int columns)
{
  __shared__ Partial warps[kThreads / 32];
  const float* row = in + blockIdx.x * columns;
  Partial partial{-INFINITY, 0.0f};
  for (int j = threadIdx.x; j < columns; j += kThreads)
    partial = merge(partial, {row[j], 1.0f});
  partial = warp_merge(partial);
  if (threadIdx.x % 32 == 0) warps[threadIdx.x / 32] = partial;
  __syncthreads();
  partial = warps[0];
  for (int warp = 1; warp < kThreads / 32; ++warp)
    partial = merge(partial, warps[warp]);
  for (int j = threadIdx.x; j < columns; j += kThreads) {
    out[blockIdx.x * columns + j] = __expf(row[j] - partial.max) / partial.sum;
  }
}

int main(int argc, char** argv)
{
  asks_for_good(argc, argv);
  const int rows = 7;
  const int columns = 333;
  const std::vector<int> whole = sample(rows * columns, 1000);
  std::vector<float> in;
  for (int value : whole)
    in.push_back(static_cast<float>(value - 500) / 50.0f);
  for (int j = 0; j < columns; ++j)
    in[j] = j % 2 == 0 ? -INFINITY : in[j];
  std::vector<float> want(in.size());
  for (int i = 0; i < rows; ++i) {
    double sum = 0;
    for (int j = 0; j < columns; ++j)
      sum += std::exp(static_cast<double>(in[i * columns + j]));
    for (int j = 0; j < columns; ++j) {
      want[i * columns + j] = static_cast<float>(std::exp(static_cast<double>(in[i * columns + j])) / sum);
    }
  }
  const DeviceArray<float> device_in(in);
  const DeviceArray<float> device_out(in.size());
  softmax<<<rows, kThreads>>>(device_in, device_out, columns);
  finish();
  return verify(device_out.download(), want, 1e-6);
}
