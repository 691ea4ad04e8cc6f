// Right: two streams, ordered by an event, with asynchronous copies and a launch configuration of every kind.
#include "tests/gpu/programs/program.cuh"

__global__ void add(int* data, int value, int n)
{
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) data[i] += value;
}

__global__ void multiply(const int* in, int* out, int factor, int n)
{
  extern __shared__ int tile[];
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  tile[threadIdx.x] = i < n ? in[i] : 0;
  __syncthreads();
  if (i < n) out[i] = tile[threadIdx.x] * factor;
}

int main(int argc, char** argv)
{
  asks_for_good(argc, argv);
  const int n = 300;
  const size_t bytes = n * sizeof(int);
  const std::vector<int> in = sample(n, 1000);
  std::vector<int> want = in;
  for (int& value : want)
    value = (value + 5) * 3;
  const DeviceArray<int> first(n);
  const DeviceArray<int> second(n);
  cudaStream_t producer = nullptr;
  cudaStream_t consumer = nullptr;
  cudaEvent_t added = nullptr;
  CUDA_CHECK(cudaStreamCreate(&producer));
  CUDA_CHECK(cudaStreamCreateWithFlags(&consumer, cudaStreamNonBlocking));
  CUDA_CHECK(cudaEventCreateWithFlags(&added, cudaEventDisableTiming));

  CUDA_CHECK(cudaMemcpyAsync(first, in.data(), bytes, cudaMemcpyHostToDevice, producer));
  add<<<3, 128, 0, producer>>>(first, 5, n);
  CUDA_CHECK(cudaEventRecord(added, producer));
  CUDA_CHECK(cudaStreamWaitEvent(consumer, added, 0));
  multiply<<<3, 128, 128 * sizeof(int), consumer>>>(first, second, 3, n);
  std::vector<int> got(n);
  CUDA_CHECK(cudaMemcpyAsync(got.data(), second, bytes, cudaMemcpyDeviceToHost, consumer));
  CUDA_CHECK(cudaStreamSynchronize(consumer));
  CUDA_CHECK(cudaEventDestroy(added));
  CUDA_CHECK(cudaStreamDestroy(producer));
  CUDA_CHECK(cudaStreamDestroy(consumer));
  return verify(got, want);
}
