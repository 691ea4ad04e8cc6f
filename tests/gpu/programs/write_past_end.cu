// A guard with <= instead of < lets one thread write past the end.
#include "tests/gpu/programs/program.cuh"

template <bool kGood>
__global__ void scale(float* data, float factor, int n)
{
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const bool inside = kGood ? i < n : i <= n;
  if (inside) data[i] *= factor;  // FAULT: out-of-bounds
}

int main(int argc, char** argv)
{
  const bool good = asks_for_good(argc, argv);
  const int n = 1000;
  const std::vector<int> whole = sample(n, 1000);
  const std::vector<float> in(whole.begin(), whole.end());
  std::vector<float> want = in;
  for (float& value : want)
    value *= 1.5f;
  const DeviceArray<float> device(in);
  (good ? scale<true> : scale<false>)<<<4, 256>>>(device, 1.5f, n);
  finish();
  return verify(device.download(), want);
}
