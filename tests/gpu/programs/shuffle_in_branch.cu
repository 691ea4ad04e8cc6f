// A shuffle that names all lanes of the warp is executed by half of them.
#include "tests/gpu/programs/program.cuh"

template <bool kGood>
__global__ void half_sums(const int* in, int* out)
{
  const int lane = threadIdx.x;
  int value = in[lane];
  if (lane < 16) {
    const unsigned mask = kGood ? 0x0000ffffu : 0xffffffffu;
    for (int distance = 8; distance > 0; distance /= 2) {
      value += __shfl_xor_sync(mask, value, distance);  // FAULT: warp-divergence
    }
  }
  out[lane] = value;
}

int main(int argc, char** argv)
{
  const bool good = asks_for_good(argc, argv);
  const std::vector<int> in = sample(32, 1000);
  std::vector<int> want = in;
  int sum = 0;
  for (int i = 0; i < 16; ++i)
    sum += in[i];
  for (int i = 0; i < 16; ++i)
    want[i] = sum;
  const DeviceArray<int> device_in(in);
  const DeviceArray<int> device_out(32);
  (good ? half_sums<true> : half_sums<false>)<<<1, 32>>>(device_in, device_out);
  finish();
  return verify(device_out.download(), want);
}
