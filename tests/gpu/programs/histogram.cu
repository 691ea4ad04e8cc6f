// Right: 256 bins over bytes, counted in shared memory by each block and added up by atomics.
#include "tests/gpu/programs/program.cuh"

constexpr int kBins = 256;

__global__ void count(const unsigned char* in, int* bins, int n)
{
  __shared__ int local[kBins];
  for (int bin = threadIdx.x; bin < kBins; bin += blockDim.x)
    local[bin] = 0;
  __syncthreads();
  const int words = n / 4;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < words; i += gridDim.x * blockDim.x) {
    const uchar4 four = reinterpret_cast<const uchar4*>(in)[i];
    atomicAdd(&local[four.x], 1);
    atomicAdd(&local[four.y], 1);
    atomicAdd(&local[four.z], 1);
    atomicAdd(&local[four.w], 1);
  }
  if (blockIdx.x == 0 && threadIdx.x < n % 4) atomicAdd(&local[in[words * 4 + threadIdx.x]], 1);
  __syncthreads();
  for (int bin = threadIdx.x; bin < kBins; bin += blockDim.x) {
    if (local[bin] > 0) atomicAdd(&bins[bin], local[bin]);
  }
}

int main(int argc, char** argv)
{
  asks_for_good(argc, argv);
  const int n = 20003;
  std::vector<unsigned char> in(n);
  const std::vector<int> whole = sample(n, 65536);
  for (int i = 0; i < n; ++i)
    in[i] = static_cast<unsigned char>((whole[i] & 255) * (whole[i] >> 8) / 255);
  std::vector<int> want(kBins, 0);
  for (unsigned char value : in)
    ++want[value];
  const DeviceArray<unsigned char> device_in(in);
  const DeviceArray<int> bins(kBins);
  CUDA_CHECK(cudaMemset(bins, 0, kBins * sizeof(int)));
  count<<<6, 128>>>(device_in, bins, n);
  finish();
  return verify(bins.download(), want);
}
