// A hand-made grid barrier in a grid that is larger than the device can hold at once.
#include "tests/gpu/programs/program.cuh"

__global__ void rotate(const int* in, int* middle, int* out, unsigned* arrived)
{
  const int b = blockIdx.x;
  atomicExch(&middle[b], in[b] + 1);
  __threadfence();
  atomicAdd(arrived, 1u);
  while (atomicAdd(arrived, 0u) < gridDim.x) {  // FAULT: hang
  }
  __threadfence();
  out[b] = atomicAdd(&middle[(b + 1) % gridDim.x], 0);
}

int main(int argc, char** argv)
{
  const bool good = asks_for_good(argc, argv);
  const int blocks = good ? 4 : 4000;
  const std::vector<int> in = sample(blocks, 1000);
  std::vector<int> want(blocks);
  for (int i = 0; i < blocks; ++i)
    want[i] = in[(i + 1) % blocks] + 1;
  const DeviceArray<int> device_in(in);
  const DeviceArray<int> middle(std::vector<int>(blocks, 0));
  const DeviceArray<int> device_out(blocks);
  const DeviceArray<unsigned> arrived(std::vector<unsigned>{0});
  if (good) {
    const int* a = device_in;
    int* m = middle;
    int* o = device_out;
    unsigned* n = arrived;
    void* arguments[] = {&a, &m, &o, &n};
    CUDA_CHECK(cudaLaunchCooperativeKernel(rotate, dim3(blocks), dim3(1), arguments, 0, nullptr));
  } else {
    // 48,000 bytes of shared memory each: a few hundred blocks fill the largest device.
    rotate<<<blocks, 1, 48000>>>(device_in, middle, device_out, arrived);
  }
  finish();
  return verify(device_out.download(), want);
}
