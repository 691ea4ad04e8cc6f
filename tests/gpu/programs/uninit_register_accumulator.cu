// A sum kept by inline assembly starts from a register that was never set.
#include "tests/gpu/programs/program.cuh"

template <bool kGood>
__global__ void dot(const int* left, const int* right, int* out, int n)
{
  int sum;
  if constexpr (kGood) sum = 0;
  for (int i = threadIdx.x; i < n; i += blockDim.x) {
    asm volatile("mad.lo.s32 %0, %1, %2, %0;" : "+r"(sum) : "r"(left[i]), "r"(right[i]));  // FAULT: uninit-register
  }
  out[threadIdx.x] = sum;  // ALSO: uninit-register
}

int main(int argc, char** argv)
{
  const bool good = asks_for_good(argc, argv);
  const int n = 128;
  const std::vector<int> left = sample(n, 1000, 1);
  const std::vector<int> right = sample(n, 1000, 2);
  std::vector<int> want(32, 0);
  for (int i = 0; i < n; ++i)
    want[i % 32] += left[i] * right[i];
  const DeviceArray<int> device_left(left);
  const DeviceArray<int> device_right(right);
  const DeviceArray<int> device_out(32);
  (good ? dot<true> : dot<false>)<<<1, 32>>>(device_left, device_right, device_out, n);
  finish();
  return verify(device_out.download(), want);
}
