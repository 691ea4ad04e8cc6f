// Lanes leave a loop one by one while the others go on voting for all of them.
#include "tests/gpu/programs/program.cuh"

template <bool kGood>
__global__ void halvings(const int* in, int* out)
{
  const int lane = threadIdx.x;
  int value = in[lane];
  int steps = 0;
  if constexpr (kGood) {
    while (__any_sync(0xffffffffu, value > 1)) {
      value /= 2;
      ++steps;
    }
  } else {
    while (value > 0) {
      if (!__any_sync(0xffffffffu, value > 1)) break;  // FAULT: warp-divergence
      value /= 2;
      ++steps;
    }
  }
  out[lane] = steps;
}

int main(int argc, char** argv)
{
  const bool good = asks_for_good(argc, argv);
  std::vector<int> in = sample(32, 1000);
  in[7] = 1000;
  const std::vector<int> want(32, 9);
  const DeviceArray<int> device_in(in);
  const DeviceArray<int> device_out(32);
  (good ? halvings<true> : halvings<false>)<<<1, 32>>>(device_in, device_out);
  finish();
  return verify(device_out.download(), want);
}
