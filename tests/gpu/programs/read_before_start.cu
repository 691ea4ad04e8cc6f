// A moving average whose window reaches before the first element.
#include "tests/gpu/programs/program.cuh"

template <bool kGood>
__global__ void window_sum(const int* in, int* out)
{
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const int width = kGood ? min(i, 3) : 3;
  int sum = 0;
  for (int k = 0; k <= width; ++k)
    sum += in[i - k];  // FAULT: out-of-bounds
  out[i] = sum;
}

int main(int argc, char** argv)
{
  const bool good = asks_for_good(argc, argv);
  const int n = 256;
  const std::vector<int> in = sample(n, 1000);
  std::vector<int> want(n, 0);
  for (int i = 0; i < n; ++i) {
    for (int k = 0; k <= 3 && k <= i; ++k)
      want[i] += in[i - k];
  }
  const DeviceArray<int> device_in(in);
  const DeviceArray<int> device_out(n);
  (good ? window_sum<true> : window_sum<false>)<<<2, 128>>>(device_in, device_out);
  finish();
  return verify(device_out.download(), want);
}
