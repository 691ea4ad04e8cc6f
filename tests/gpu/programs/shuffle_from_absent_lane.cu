// The last lanes of a partial warp read, by shuffle, from lanes that take no part in it.
#include "tests/gpu/programs/program.cuh"

template <bool kGood>
__global__ void add_right(const int* in, int* out, int n)
{
  const int lane = threadIdx.x;
  const unsigned mask = __ballot_sync(0xffffffffu, lane < n);
  if (lane >= n) return;
  const int width = kGood ? n - 1 : n;
  const int right = __shfl_sync(mask, in[lane], lane < width ? lane + 1 : lane);  // FAULT: warp-divergence
  out[lane] = in[lane] + (lane + 1 < n ? right : 0);
}

int main(int argc, char** argv)
{
  const bool good = asks_for_good(argc, argv);
  const int n = 20;
  const std::vector<int> in = sample(n, 1000);
  std::vector<int> want = in;
  for (int i = 0; i + 1 < n; ++i)
    want[i] += in[i + 1];
  const DeviceArray<int> device_in(in);
  const DeviceArray<int> device_out(n);
  (good ? add_right<true> : add_right<false>)<<<1, 32>>>(device_in, device_out, n);
  finish();
  return verify(device_out.download(), want);
}
