// One lane fills a slot and calls __syncwarp() for the whole warp, inside the branch that only it takes.
#include "tests/gpu/programs/program.cuh"

template <bool kGood>
__global__ void add_first(const int* in, int* out)
{
  __shared__ int slot;
  const int lane = threadIdx.x;
  if (lane == 0) {
    slot = in[0];                        // ALSO: race-shared
    if constexpr (!kGood) __syncwarp();  // FAULT: warp-divergence
  }
  if constexpr (kGood) __syncwarp();
  out[lane] = in[lane] + slot;  // ALSO: race-shared, uninit-shared
}

int main(int argc, char** argv)
{
  const bool good = asks_for_good(argc, argv);
  const std::vector<int> in = sample(32, 1000);
  std::vector<int> want(32);
  for (int i = 0; i < 32; ++i)
    want[i] = in[i] + in[0];
  const DeviceArray<int> device_in(in);
  const DeviceArray<int> device_out(32);
  (good ? add_first<true> : add_first<false>)<<<1, 32>>>(device_in, device_out);
  finish();
  return verify(device_out.download(), want);
}
