// A block adds to a shared counter that nobody has set to zero.
#include "tests/gpu/programs/program.cuh"

template <bool kGood>
__global__ void count_even(const int* in, int* out)
{
  __shared__ int counter;
  const int t = threadIdx.x;
  if (kGood && t == 0) counter = 0;
  __syncthreads();
  if (in[blockIdx.x * 64 + t] % 2 == 0) atomicAdd(&counter, 1);  // FAULT: uninit-shared
  __syncthreads();
  if (t == 0) out[blockIdx.x] = counter;  // FAULT: uninit-shared
}

int main(int argc, char** argv)
{
  const bool good = asks_for_good(argc, argv);
  const std::vector<int> in = sample(192, 1000);
  std::vector<int> want(3, 0);
  for (int i = 0; i < 192; ++i)
    want[i / 64] += in[i] % 2 == 0;
  const DeviceArray<int> device_in(in);
  const DeviceArray<int> device_out(3);
  (good ? count_even<true> : count_even<false>)<<<3, 64>>>(device_in, device_out);
  finish();
  return verify(device_out.download(), want);
}
