// Right: a kernel prints, from one thread at a time, every kind of argument that is common.
#include "tests/gpu/programs/program.cuh"

__global__ void report(const float* values, int n)
{
  for (int i = 0; i < n; ++i) {
    if (threadIdx.x == i) printf("thread %d: %.3f, %5d|%-5u|%05x\n", i, values[i], -i, 7u + i, 255 * i);
    __syncthreads();
  }
  if (threadIdx.x != 0) return;
  printf("%s %c %lld %llu %e 100%%\n", "text", 'c', -5000000000ll, 18000000000000000000ull, 0.00125);
  printf("no argument\n");
}

int main(int argc, char** argv)
{
  asks_for_good(argc, argv);
  const DeviceArray<float> values(std::vector<float>{0.5f, -1.25f, 1024.0f});
  report<<<1, 64>>>(values, 3);
  finish();
  printf("ok\n");
  return 0;
}
