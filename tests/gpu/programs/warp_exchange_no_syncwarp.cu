// Lanes of a warp exchange values through shared memory as if they ran in lockstep.
#include "tests/gpu/programs/program.cuh"

template <bool kGood>
__global__ void warp_sum(const int* in, int* out)
{
  __shared__ int value[4][32];
  const int lane = threadIdx.x % 32;
  int* mine = value[threadIdx.x / 32];
  mine[lane] = in[threadIdx.x];
  for (int distance = 16; distance > 0; distance /= 2) {
    if constexpr (kGood) __syncwarp();
    const int other = mine[lane ^ distance];  // FAULT: race-shared
    if constexpr (kGood) __syncwarp();
    mine[lane] += other;  // FAULT: race-shared
  }
  if (lane == 0) out[threadIdx.x / 32] = mine[0];
}

int main(int argc, char** argv)
{
  const bool good = asks_for_good(argc, argv);
  const std::vector<int> in = sample(128, 1000);
  std::vector<int> want(4, 0);
  for (int i = 0; i < 128; ++i)
    want[i / 32] += in[i];
  const DeviceArray<int> device_in(in);
  const DeviceArray<int> device_out(4);
  (good ? warp_sum<true> : warp_sum<false>)<<<1, 128>>>(device_in, device_out);
  finish();
  return verify(device_out.download(), want);
}
