// A buffer is freed before the second kernel that reads it.
#include "tests/gpu/programs/program.cuh"

__global__ void square(const int* in, int* out)
{
  out[threadIdx.x] = in[threadIdx.x] * in[threadIdx.x];  // FAULT: out-of-bounds
}

int main(int argc, char** argv)
{
  const bool good = asks_for_good(argc, argv);
  const std::vector<int> in = sample(64, 100);
  std::vector<int> want = in;
  for (int& value : want)
    value *= value;
  int* device_in = nullptr;
  CUDA_CHECK(cudaMalloc(&device_in, 64 * sizeof(int)));
  CUDA_CHECK(cudaMemcpy(device_in, in.data(), 64 * sizeof(int), cudaMemcpyHostToDevice));
  const DeviceArray<int> device_out(64);
  square<<<1, 64>>>(device_in, device_out);
  finish();
  if (!good) CUDA_CHECK(cudaFree(device_in));
  square<<<1, 64>>>(device_in, device_out);
  finish();
  if (good) CUDA_CHECK(cudaFree(device_in));
  return verify(device_out.download(), want);
}
