// Blocks add to a row in their order by a semaphore, but one is let in before its predecessor's sums are complete.
#include "tests/gpu/programs/program.cuh"

template <bool kGood>
__global__ void add_in_order(const float* part, float* sum, int* turn)
{
  const int t = threadIdx.x;
  if (t == 0) {
    while (atomicAdd(turn, 0) != blockIdx.x) {
    }
    __threadfence();
  }
  __syncthreads();
  sum[t] += part[blockIdx.x * blockDim.x + t];  // FAULT: race-global
  if constexpr (kGood) {
    __threadfence();
    __syncthreads();
  }
  if (t == 0) atomicAdd(turn, 1);
}

int main(int argc, char** argv)
{
  const bool good = asks_for_good(argc, argv);
  const int blocks = 4;
  const std::vector<int> whole = sample(blocks * 128, 1000);
  std::vector<float> part(whole.size());
  std::vector<float> want(128, 0.0f);
  for (size_t i = 0; i < part.size(); ++i) {
    part[i] = static_cast<float>(whole[i]) / 7.0f;
    want[i % 128] += part[i];
  }
  const DeviceArray<float> device_part(part);
  const DeviceArray<float> sum(std::vector<float>(128, 0.0f));
  const DeviceArray<int> turn(std::vector<int>{0});
  (good ? add_in_order<true> : add_in_order<false>)<<<blocks, 128>>>(device_part, sum, turn);
  finish();
  return verify(sum.download(), want);
}
