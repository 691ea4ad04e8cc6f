// A maximum over a tile whose tail is not filled when the input ends inside it.
#include "tests/gpu/programs/program.cuh"

template <bool kGood>
__global__ void largest(const int* in, int* out, int n)
{
  __shared__ int tile[128];
  const int t = threadIdx.x;
  if (t < n) tile[t] = in[t];
  if (kGood && t >= n) tile[t] = 0;
  __syncthreads();
  for (int half = 64; half > 0; half /= 2) {
    if (t < half) tile[t] = max(tile[t], tile[t + half]);  // FAULT: uninit-shared
    __syncthreads();
  }
  if (t == 0) *out = tile[0];
}

int main(int argc, char** argv)
{
  const bool good = asks_for_good(argc, argv);
  const int n = 100;
  const std::vector<int> in = sample(n, 1000);
  int want = 0;
  for (int value : in)
    want = value > want ? value : want;
  const DeviceArray<int> device_in(in);
  const DeviceArray<int> device_out(1);
  (good ? largest<true> : largest<false>)<<<1, 128>>>(device_in, device_out, n);
  finish();
  return verify(device_out.download(), {want});
}
