// Right: 100,000 blocks in three dimensions, each of one warp.
#include "tests/gpu/programs/program.cuh"

__global__ void number_blocks(int* out, int* total)
{
  if (threadIdx.x != 0) return;
  const int block = (blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x;
  out[block] = block % 1000;
  atomicAdd(total, 1);
}

int main(int argc, char** argv)
{
  asks_for_good(argc, argv);
  const dim3 grid(500, 50, 4);
  const int blocks = grid.x * grid.y * grid.z;
  std::vector<int> want(blocks);
  for (int i = 0; i < blocks; ++i)
    want[i] = i % 1000;
  const DeviceArray<int> device_out(blocks);
  const DeviceArray<int> total(std::vector<int>{0});
  number_blocks<<<grid, 32>>>(device_out, total);
  finish();
  if (total.download()[0] != blocks) {
    printf("wrong: %d blocks counted\n", total.download()[0]);
    return 1;
  }
  return verify(device_out.download(), want);
}
