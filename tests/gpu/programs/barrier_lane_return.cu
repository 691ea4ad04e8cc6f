// The lanes past the end of the input return before the barrier that the rest of their warp waits at.
#include "tests/gpu/programs/program.cuh"

template <bool kGood>
__global__ void difference(const int* in, int* out, int n)
{
  __shared__ int tile[128];
  const int t = threadIdx.x;
  const int i = blockIdx.x * blockDim.x + t;
  if (!kGood && i >= n) return;
  if (i < n) tile[t] = in[i];
  __syncthreads();  // FAULT: barrier-exit ALSO: early-exit
  if (i < n) out[i] = tile[t] - (t > 0 ? tile[t - 1] : 0);
}

int main(int argc, char** argv)
{
  const bool good = asks_for_good(argc, argv);
  const int n = 128 + 50;
  const std::vector<int> in = sample(n, 1000);
  std::vector<int> want(n);
  for (int i = 0; i < n; ++i)
    want[i] = in[i] - (i % 128 > 0 ? in[i - 1] : 0);
  const DeviceArray<int> device_in(in);
  const DeviceArray<int> device_out(n);
  (good ? difference<true> : difference<false>)<<<2, 128>>>(device_in, device_out, n);
  finish();
  return verify(device_out.download(), want);
}
