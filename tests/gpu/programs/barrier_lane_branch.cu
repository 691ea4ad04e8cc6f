// Only the even lanes of each warp reach the barrier.
#include "tests/gpu/programs/program.cuh"

template <bool kGood>
__global__ void reverse(const int* in, int* out)
{
  __shared__ int tile[64];
  const int t = threadIdx.x;
  tile[t] = in[t];
  if (kGood || t % 2 == 0) __syncthreads();  // FAULT: barrier-divergence ALSO: barrier-exit
  out[t] = tile[63 - t];                     // ALSO: race-shared, uninit-shared
}

int main(int argc, char** argv)
{
  const bool good = asks_for_good(argc, argv);
  const std::vector<int> in = sample(64, 1000);
  const DeviceArray<int> device_in(in);
  const DeviceArray<int> device_out(64);
  (good ? reverse<true> : reverse<false>)<<<1, 64>>>(device_in, device_out);
  finish();
  return verify(device_out.download(), {in.rbegin(), in.rend()});
}
