// A shared variable is given its next value while other warps may still read the last one.
#include "tests/gpu/programs/program.cuh"

template <bool kGood>
__global__ void subtract_first(int* rows, int count)
{
  __shared__ int first;
  const int t = threadIdx.x;
  for (int row = 0; row < count; ++row) {
    int* elements = rows + row * 128;
    if (t == 0) first = elements[0];  // FAULT: race-shared
    __syncthreads();
    elements[t] -= first;  // FAULT: race-shared
    if constexpr (kGood) __syncthreads();
  }
}

int main(int argc, char** argv)
{
  const bool good = asks_for_good(argc, argv);
  const int rows = 4;
  const std::vector<int> in = sample(rows * 128, 1000);
  std::vector<int> want(in.size());
  for (size_t i = 0; i < in.size(); ++i)
    want[i] = in[i] - in[i / 128 * 128];
  const DeviceArray<int> device(in);
  (good ? subtract_first<true> : subtract_first<false>)<<<1, 128>>>(device, rows);
  finish();
  return verify(device.download(), want);
}
