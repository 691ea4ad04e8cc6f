// Right: a grid-stride loop over more elements than there are threads, four at a time where they are aligned.
#include "tests/gpu/programs/program.cuh"

__global__ void axpy(float a, const float* x, float* y, int n)
{
  const int threads = gridDim.x * blockDim.x;
  const int first = blockIdx.x * blockDim.x + threadIdx.x;
  const float4* x4 = reinterpret_cast<const float4*>(x);
  float4* y4 = reinterpret_cast<float4*>(y);
  for (int i = first; i < n / 4; i += threads) {
    const float4 left = x4[i];
    const float4 right = y4[i];
    y4[i] = {a * left.x + right.x, a * left.y + right.y, a * left.z + right.z, a * left.w + right.w};
  }
  for (int i = n / 4 * 4 + first; i < n; i += threads)
    y[i] += a * x[i];
}

int main(int argc, char** argv)
{
  asks_for_good(argc, argv);
  const int n = 10003;
  const std::vector<int> left = sample(n, 1000, 1);
  const std::vector<int> right = sample(n, 1000, 2);
  const std::vector<float> x(left.begin(), left.end());
  const std::vector<float> y(right.begin(), right.end());
  std::vector<float> want(n);
  for (int i = 0; i < n; ++i)
    want[i] = 0.5f * x[i] + y[i];
  const DeviceArray<float> device_x(x);
  const DeviceArray<float> device_y(y);
  axpy<<<5, 96>>>(0.5f, device_x, device_y, n);
  finish();
  return verify(device_y.download(), want);
}
