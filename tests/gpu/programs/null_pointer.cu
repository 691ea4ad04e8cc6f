// An optional bias is read although none was passed.
#include "tests/gpu/programs/program.cuh"

template <bool kGood>
__global__ void add_bias(const int* in, const int* bias, int* out)
{
  const int i = threadIdx.x;
  int value = in[i];
  if (!kGood || bias != nullptr) value += bias[i];  // FAULT: out-of-bounds
  out[i] = value;
}

int main(int argc, char** argv)
{
  const bool good = asks_for_good(argc, argv);
  const std::vector<int> in = sample(64, 1000);
  const DeviceArray<int> device_in(in);
  const DeviceArray<int> device_out(64);
  (good ? add_bias<true> : add_bias<false>)<<<1, 64>>>(device_in, nullptr, device_out);
  finish();
  return verify(device_out.download(), in);
}
