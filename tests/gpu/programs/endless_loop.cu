// A strided loop whose stride is zero.
#include "tests/gpu/programs/program.cuh"

__global__ void increment(int* data, int n, int stride)
{
#pragma unroll 1
  for (int i = threadIdx.x; i < n; i += stride) {
    ++data[i];  // FAULT: hang
  }
}

int main(int argc, char** argv)
{
  const bool good = asks_for_good(argc, argv);
  const std::vector<int> in = sample(300, 1000);
  std::vector<int> want = in;
  for (int& value : want)
    ++value;
  const DeviceArray<int> device(in);
  increment<<<1, 64>>>(device, 300, good ? 64 : 0);
  finish();
  return verify(device.download(), want);
}
