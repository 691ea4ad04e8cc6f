// Right: bounded recursion, each lane to its own depth.
#include "tests/gpu/programs/program.cuh"

__device__ __noinline__ int ackermann(int m, int n)
{
  if (m == 0) return n + 1;
  if (n == 0) return ackermann(m - 1, 1);
  return ackermann(m - 1, ackermann(m, n - 1));
}

__global__ void evaluate(int* out) { out[threadIdx.x] = ackermann(threadIdx.x / 8, threadIdx.x % 8); }

int main(int argc, char** argv)
{
  asks_for_good(argc, argv);
  std::vector<int> want(24);
  for (int n = 0; n < 8; ++n) {
    want[n] = n + 1;
    want[n + 8] = n + 2;
    want[n + 16] = 2 * n + 3;
  }
  const DeviceArray<int> device_out(24);
  evaluate<<<1, 24>>>(device_out);
  finish();
  return verify(device_out.download(), want);
}
