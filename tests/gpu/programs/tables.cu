// Right: constant and global tables with initialisers, one of them replaced by the host, one written by a kernel.
#include "tests/gpu/programs/program.cuh"

__constant__ int kPrimes[8] = {2, 3, 5, 7, 11, 13, 17, 19};
__constant__ float scale[4];
__device__ short bias[3] = {-1, 0, 1};
__device__ int calls;
__device__ const char* const kNames[2] = {"even", "odd"};

__global__ void look_up(float* out, char* letters)
{
  const int t = threadIdx.x;
  out[t] = scale[t % 4] * static_cast<float>(kPrimes[t % 8]) + static_cast<float>(bias[t % 3]);
  letters[t] = kNames[t % 2][t % 3];
  atomicAdd(&calls, 1);
}

int main(int argc, char** argv)
{
  asks_for_good(argc, argv);
  const float weights[4] = {0.5f, 1.5f, 2.5f, 3.5f};
  const int primes[8] = {2, 3, 5, 7, 11, 13, 17, 19};
  CUDA_CHECK(cudaMemcpyToSymbol(scale, weights, sizeof(weights)));
  std::vector<float> want;
  for (int launch = 0; launch < 2; ++launch) {
    for (int t = 0; t < 64; ++t)
      want.push_back(weights[t % 4] * primes[t % 8] + (launch == 0 ? t % 3 - 1 : 5));
  }
  const char* const names[2] = {"even", "odd"};
  for (int t = 0; t < 64; ++t)
    want.push_back(names[t % 2][t % 3]);

  const DeviceArray<float> device_out(64);
  const DeviceArray<char> letters(64);
  look_up<<<1, 64>>>(device_out, letters);
  finish();
  std::vector<float> got = device_out.download();
  const short fives[3] = {5, 5, 5};
  CUDA_CHECK(cudaMemcpyToSymbol(bias, fives, sizeof(fives)));
  look_up<<<1, 64>>>(device_out, letters);
  finish();
  for (float value : device_out.download())
    got.push_back(value);
  for (char letter : letters.download())
    got.push_back(letter);
  int count = 0;
  CUDA_CHECK(cudaMemcpyFromSymbol(&count, calls, sizeof(count)));
  got.push_back(static_cast<float>(count));
  want.push_back(128.0f);
  return verify(got, want);
}
