// A barrier inside a loop whose number of trips differs between the lanes of a warp.
#include "tests/gpu/programs/program.cuh"

template <bool kGood>
__global__ void neighbour_sum(const int* in, int* out, int n)
{
  __shared__ int tile[64];
  const int t = threadIdx.x;
  const int end = kGood ? (n + 63) / 64 * 64 : n;
  int sum = 0;
  for (int i = t; i < end; i += 64) {
    tile[t] = i < n ? in[i] : 0;
    __syncthreads();  // FAULT: barrier-divergence
    sum += tile[t ^ 1];
    __syncthreads();  // FAULT: barrier-divergence
  }
  tile[t] = sum;
  __syncthreads();  // FAULT: barrier-divergence
  if (t < 32) out[t] = tile[t] + tile[t + 32];
}

int main(int argc, char** argv)
{
  const bool good = asks_for_good(argc, argv);
  const int n = 3 * 64 + 10;
  const std::vector<int> in = sample(n, 1000);
  std::vector<int> want(32, 0);
  for (int i = 0; i < n; ++i)
    want[(i % 32) ^ 1] += in[i];
  const DeviceArray<int> device_in(in);
  const DeviceArray<int> device_out(32);
  (good ? neighbour_sum<true> : neighbour_sum<false>)<<<1, 64>>>(device_in, device_out, n);
  finish();
  return verify(device_out.download(), want);
}
