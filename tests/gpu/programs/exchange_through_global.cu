// Threads of one block exchange values through global memory without a barrier.
#include "tests/gpu/programs/program.cuh"

template <bool kGood>
__global__ void reverse_block(int* data)
{
  int* mine = data + blockIdx.x * blockDim.x;
  const int t = threadIdx.x;
  const int value = mine[blockDim.x - 1 - t];  // FAULT: race-global
  if constexpr (kGood) __syncthreads();
  mine[t] = value;  // FAULT: race-global
}

int main(int argc, char** argv)
{
  const bool good = asks_for_good(argc, argv);
  const std::vector<int> in = sample(256, 1000);
  std::vector<int> want(256);
  for (int i = 0; i < 256; ++i)
    want[i] = in[i / 128 * 128 + 127 - i % 128];
  const DeviceArray<int> device(in);
  (good ? reverse_block<true> : reverse_block<false>)<<<2, 128>>>(device);
  finish();
  return verify(device.download(), want);
}
