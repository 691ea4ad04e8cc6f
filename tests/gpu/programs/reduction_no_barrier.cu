// A tree reduction in shared memory whose steps are not separated by a barrier.
#include "tests/gpu/programs/program.cuh"

template <bool kGood>
__global__ void sum(const int* in, int* out)
{
  __shared__ int partial[256];
  const int t = threadIdx.x;
  partial[t] = in[blockIdx.x * 256 + t];
  __syncthreads();
  for (int stride = 128; stride > 0; stride /= 2) {
    if (t < stride) partial[t] += partial[t + stride];  // FAULT: race-shared
    if constexpr (kGood) __syncthreads();
  }
  if (t == 0) out[blockIdx.x] = partial[0];
}

int main(int argc, char** argv)
{
  const bool good = asks_for_good(argc, argv);
  const int blocks = 3;
  const std::vector<int> in = sample(blocks * 256, 1000);
  std::vector<int> want(blocks, 0);
  for (size_t i = 0; i < in.size(); ++i)
    want[i / 256] += in[i];

  const DeviceArray<int> device_in(in);
  const DeviceArray<int> device_out(blocks);
  (good ? sum<true> : sum<false>)<<<blocks, 256>>>(device_in, device_out);
  finish();
  return verify(device_out.download(), want);
}
