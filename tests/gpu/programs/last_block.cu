// The last block to finish adds up the partial sums, but nothing makes the others' sums visible to it.
#include "tests/gpu/programs/program.cuh"

template <bool kGood>
__global__ void sum(const int* in, int* partial, unsigned* ticket, int* out)
{
  __shared__ bool last;
  __shared__ int total;
  const int t = threadIdx.x;
  if (t == 0) total = 0;
  __syncthreads();
  atomicAdd(&total, in[blockIdx.x * blockDim.x + t]);
  __syncthreads();
  if (t == 0) {
    partial[blockIdx.x] = total;  // FAULT: race-global
    if constexpr (kGood) __threadfence();
    last = atomicInc(ticket, gridDim.x - 1) == gridDim.x - 1;
    if constexpr (kGood) __threadfence();
    total = 0;
  }
  __syncthreads();
  if (!last) return;
  if (t < gridDim.x) atomicAdd(&total, partial[t]);  // FAULT: race-global
  __syncthreads();
  if (t == 0) *out = total;
}

int main(int argc, char** argv)
{
  const bool good = asks_for_good(argc, argv);
  const int blocks = 6;
  const std::vector<int> in = sample(blocks * 64, 1000);
  int total = 0;
  for (int value : in)
    total += value;
  const DeviceArray<int> device_in(in);
  const DeviceArray<int> partial(blocks);
  const DeviceArray<unsigned> ticket(std::vector<unsigned>{0});
  const DeviceArray<int> device_out(1);
  (good ? sum<true> : sum<false>)<<<blocks, 64>>>(device_in, partial, ticket, device_out);
  finish();
  return verify(device_out.download(), {total});
}
