// An assertion about the input that one element violates.
#undef NDEBUG
#include <assert.h>

#include "tests/gpu/programs/program.cuh"

__global__ void reciprocal(const int* in, float* out)
{
  const int value = in[threadIdx.x];
  assert(value > 0);  // FAULT: assert
  out[threadIdx.x] = 1.0f / static_cast<float>(value);
}

int main(int argc, char** argv)
{
  const bool good = asks_for_good(argc, argv);
  std::vector<int> in = sample(64, 1000);
  for (int& value : in)
    ++value;
  if (!good) in[37] = 0;
  std::vector<float> want(64);
  for (int i = 0; i < 64; ++i)
    want[i] = 1.0f / static_cast<float>(in[i]);
  const DeviceArray<int> device_in(in);
  const DeviceArray<float> device_out(64);
  reciprocal<<<1, 64>>>(device_in, device_out);
  finish();
  return verify(device_out.download(), want, 1e-6);
}
