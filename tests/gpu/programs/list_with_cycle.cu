// A walk along a linked list whose last node points back into the list.
#include "tests/gpu/programs/program.cuh"

__global__ void total(const int* next, const int* value, int* out)
{
  int sum = 0;
  for (int node = threadIdx.x; node >= 0; node = next[node]) {  // FAULT: hang
    sum += value[node];                                         // FAULT: hang
  }
  out[threadIdx.x] = sum;
}

int main(int argc, char** argv)
{
  const bool good = asks_for_good(argc, argv);
  const std::vector<int> value = sample(100, 1000);
  std::vector<int> next(100, -1);
  for (int i = 0; i < 99; ++i)
    next[i] = i + 1;
  if (!good) next[99] = 40;
  std::vector<int> want(32, 0);
  for (int i = 0; i < 32; ++i) {
    for (int node = i; node < 100; ++node)
      want[i] += value[node];
  }
  const DeviceArray<int> device_next(next);
  const DeviceArray<int> device_value(value);
  const DeviceArray<int> device_out(32);
  total<<<1, 32>>>(device_next, device_value, device_out);
  finish();
  return verify(device_out.download(), want);
}
