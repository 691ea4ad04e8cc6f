// A function that contains a barrier is called by some lanes only.
#include "tests/gpu/programs/program.cuh"

__device__ __noinline__ int exchange(int* tile, int value)
{
  tile[threadIdx.x] = value;
  __syncthreads();  // FAULT: barrier-divergence ALSO: barrier-exit
  return tile[threadIdx.x ^ 1];
}

template <bool kGood>
__global__ void swap_pairs(const int* in, int* out)
{
  __shared__ int tile[96];
  const int t = threadIdx.x;
  int value = in[t];
  if (kGood) {
    const int other = exchange(tile, value);
    if (t < 80) value = other;
  } else if (t < 80) {
    value = exchange(tile, value);
  }
  out[t] = value;
}

int main(int argc, char** argv)
{
  const bool good = asks_for_good(argc, argv);
  const std::vector<int> in = sample(96, 1000);
  std::vector<int> want = in;
  for (int i = 0; i < 80; ++i)
    want[i] = in[i ^ 1];
  const DeviceArray<int> device_in(in);
  const DeviceArray<int> device_out(96);
  (good ? swap_pairs<true> : swap_pairs<false>)<<<1, 96>>>(device_in, device_out);
  finish();
  return verify(device_out.download(), want);
}
