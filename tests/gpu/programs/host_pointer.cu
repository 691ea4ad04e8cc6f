// A kernel is given the address of a host array.
#include "tests/gpu/programs/program.cuh"

__global__ void negate(const int* in, int* out)
{
  out[threadIdx.x] = -in[threadIdx.x];  // FAULT: out-of-bounds
}

int main(int argc, char** argv)
{
  const bool good = asks_for_good(argc, argv);
  const std::vector<int> in = sample(64, 1000);
  std::vector<int> want = in;
  for (int& value : want)
    value = -value;
  const DeviceArray<int> device_in(in);
  const DeviceArray<int> device_out(64);
  const int* source = good ? static_cast<const int*>(device_in) : in.data();
  negate<<<1, 64>>>(source, device_out);
  finish();
  return verify(device_out.download(), want);
}
