// Consecutive blocks start 96 elements apart but write 128 each.
#include "tests/gpu/programs/program.cuh"

template <bool kGood>
__global__ void label(int* out, int n)
{
  const int stride = kGood ? 128 : 96;
  const int i = blockIdx.x * stride + threadIdx.x;
  if (i < n) out[i] = blockIdx.x;  // FAULT: race-global
}

int main(int argc, char** argv)
{
  const bool good = asks_for_good(argc, argv);
  const int n = 500;
  std::vector<int> want(n);
  for (int i = 0; i < n; ++i)
    want[i] = i / 128;
  const DeviceArray<int> device_out(std::vector<int>(n, -1));
  (good ? label<true> : label<false>)<<<4, 128>>>(device_out, n);
  finish();
  return verify(device_out.download(), want);
}
