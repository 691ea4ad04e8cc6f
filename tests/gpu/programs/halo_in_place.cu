// A stencil in place: blocks read elements that the neighbouring block overwrites in the same launch.
#include "tests/gpu/programs/program.cuh"

template <bool kGood>
__global__ void smooth(const int* in, int* out, int n)
{
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const int* source = kGood ? in : out;
  const int left = i > 0 ? source[i - 1] : 0;       // FAULT: race-global
  const int right = i + 1 < n ? source[i + 1] : 0;  // FAULT: race-global
  __syncthreads();
  out[i] = left + right;  // FAULT: race-global
}

int main(int argc, char** argv)
{
  const bool good = asks_for_good(argc, argv);
  const int n = 256;
  const std::vector<int> in = sample(n, 1000);
  std::vector<int> want(n);
  for (int i = 0; i < n; ++i)
    want[i] = (i > 0 ? in[i - 1] : 0) + (i + 1 < n ? in[i + 1] : 0);
  const DeviceArray<int> device_in(in);
  const DeviceArray<int> device_out(in);
  (good ? smooth<true> : smooth<false>)<<<4, 64>>>(device_in, device_out, n);
  finish();
  return verify(device_out.download(), want);
}
