// Lanes take part in a shuffle whose mask leaves them out.
#include "tests/gpu/programs/program.cuh"

template <bool kGood>
__global__ void from_left(const int* in, int* out)
{
  const int lane = threadIdx.x;
  const unsigned mask = kGood ? 0xffffffffu : 0x0fffffffu;
  out[lane] = __shfl_up_sync(mask, in[lane], 1);  // FAULT: warp-divergence
}

int main(int argc, char** argv)
{
  const bool good = asks_for_good(argc, argv);
  const std::vector<int> in = sample(32, 1000);
  std::vector<int> want(32);
  for (int i = 0; i < 32; ++i)
    want[i] = in[i > 0 ? i - 1 : 0];
  const DeviceArray<int> device_in(in);
  const DeviceArray<int> device_out(32);
  (good ? from_left<true> : from_left<false>)<<<1, 32>>>(device_in, device_out);
  finish();
  return verify(device_out.download(), want);
}
