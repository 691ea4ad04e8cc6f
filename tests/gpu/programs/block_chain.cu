// Each block waits for a neighbour; the faulty ones wait for the next block, which need not be resident yet.
#include "tests/gpu/programs/program.cuh"

template <bool kGood>
__global__ void running_sum(const int* in, int* sum, int* done)
{
  const int b = blockIdx.x;
  const int last = gridDim.x - 1;
  const int neighbour = kGood ? b - 1 : b + 1;
  const bool first = kGood ? b == 0 : b == last;
  int total = in[b];
  if (!first) {
    while (atomicAdd(&done[neighbour], 0) == 0) {  // FAULT: hang
    }
    __threadfence();
    total += sum[neighbour];
  }
  sum[b] = total;
  __threadfence();
  atomicExch(&done[b], 1);
}

int main(int argc, char** argv)
{
  const bool good = asks_for_good(argc, argv);
  const int blocks = good ? 50 : 4000;
  const std::vector<int> in = sample(blocks, 1000);
  std::vector<int> want = in;
  for (int i = 1; i < blocks; ++i)
    want[i] += want[i - 1];
  const DeviceArray<int> device_in(in);
  const DeviceArray<int> sum(blocks);
  const DeviceArray<int> done(std::vector<int>(blocks, 0));
  // 48,000 bytes of shared memory each: a few hundred blocks fill the largest device.
  (good ? running_sum<true> : running_sum<false>)<<<blocks, 1, 48000>>>(device_in, sum, done);
  finish();
  return verify(sum.download(), want);
}
