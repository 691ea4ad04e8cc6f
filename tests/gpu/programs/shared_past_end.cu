// The last thread of a block reads its right neighbour's element, past the end of a static shared array.
#include "tests/gpu/programs/program.cuh"

template <bool kGood>
__global__ void add_right(const int* in, int* out)
{
  __shared__ int tile[128];
  const int t = threadIdx.x;
  tile[t] = in[t];
  __syncthreads();
  const int right = kGood ? (t + 1) % 128 : t + 1;
  out[t] = tile[t] + tile[right];  // FAULT: out-of-bounds
}

int main(int argc, char** argv)
{
  const bool good = asks_for_good(argc, argv);
  const std::vector<int> in = sample(128, 1000);
  std::vector<int> want(128);
  for (int i = 0; i < 128; ++i)
    want[i] = in[i] + in[(i + 1) % 128];
  const DeviceArray<int> device_in(in);
  const DeviceArray<int> device_out(128);
  (good ? add_right<true> : add_right<false>)<<<1, 128>>>(device_in, device_out);
  finish();
  return verify(device_out.download(), want);
}
