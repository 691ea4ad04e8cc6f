// A function that is not inlined reads past the end for one of its two callers.
#include "tests/gpu/programs/program.cuh"

__device__ __noinline__ int sum_of(const int* values, int count)
{
  int sum = 0;
  for (int i = 0; i < count; ++i)
    sum += values[i];  // FAULT: out-of-bounds
  return sum;
}

template <bool kGood>
__global__ void group_sums(const int* in, int* out, int groups, int size)
{
  const int group = threadIdx.x;
  if (group >= groups) return;
  const int whole = sum_of(in + group * size, size);
  const int rest = kGood && group == groups - 1 ? 0 : sum_of(in + (group + 1) * size, 2);
  out[group] = whole + rest;
}

int main(int argc, char** argv)
{
  const bool good = asks_for_good(argc, argv);
  const int groups = 20;
  const int size = 5;
  const std::vector<int> in = sample(groups * size, 1000);
  std::vector<int> want(groups, 0);
  for (int i = 0; i < groups * size; ++i) {
    want[i / size] += in[i];
    if (i >= size && i % size < 2) want[i / size - 1] += in[i];
  }
  const DeviceArray<int> device_in(in);
  const DeviceArray<int> device_out(groups);
  (good ? group_sums<true> : group_sums<false>)<<<1, 32>>>(device_in, device_out, groups, size);
  finish();
  return verify(device_out.download(), want);
}
