// The last thread reads one element past the end of its input.
#include "tests/gpu/programs/program.cuh"

template <bool kGood>
__global__ void slope(const int* in, int* out, int n)
{
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const bool last = kGood && i == n - 1;
  out[i] = last ? 0 : in[i + 1] - in[i];  // FAULT: out-of-bounds
}

int main(int argc, char** argv)
{
  const bool good = asks_for_good(argc, argv);
  const int n = 200;
  const std::vector<int> in = sample(n, 1000);
  std::vector<int> want(n, 0);
  for (int i = 0; i + 1 < n; ++i)
    want[i] = in[i + 1] - in[i];
  const DeviceArray<int> device_in(in);
  const DeviceArray<int> device_out(n);
  (good ? slope<true> : slope<false>)<<<2, 128>>>(device_in, device_out, n);
  finish();
  return verify(device_out.download(), want);
}
