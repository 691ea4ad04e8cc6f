// The two halves of a block wait at two different barriers.
#include "tests/gpu/programs/program.cuh"

template <bool kGood>
__global__ void combine(const int* left, const int* right, int* out)
{
  __shared__ int tile[128];
  const int t = threadIdx.x;
  if constexpr (kGood) {
    tile[t] = t < 64 ? left[t] : right[t - 64];
    __syncthreads();
    out[t] = t < 64 ? tile[t] + tile[127 - t] : tile[t] * tile[127 - t];
  } else if (t < 64) {
    tile[t] = left[t];
    __syncthreads();  // FAULT: barrier-divergence
    out[t] = tile[t] + tile[127 - t];
  } else {
    tile[t] = right[t - 64];
    __syncthreads();  // FAULT: barrier-divergence
    out[t] = tile[t] * tile[127 - t];
  }
}

int main(int argc, char** argv)
{
  const bool good = asks_for_good(argc, argv);
  const std::vector<int> left = sample(64, 100, 1);
  const std::vector<int> right = sample(64, 100, 2);
  std::vector<int> want(128);
  for (int i = 0; i < 64; ++i) {
    want[i] = left[i] + right[63 - i];
    want[i + 64] = right[i] * left[63 - i];
  }
  const DeviceArray<int> device_left(left);
  const DeviceArray<int> device_right(right);
  const DeviceArray<int> device_out(128);
  (good ? combine<true> : combine<false>)<<<1, 128>>>(device_left, device_right, device_out);
  finish();
  return verify(device_out.download(), want);
}
