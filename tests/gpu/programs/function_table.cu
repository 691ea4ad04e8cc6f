// Right: calls through a table of function pointers, a different one per lane.
#include "tests/gpu/programs/program.cuh"

using Operation = int (*)(int, int);

__device__ int add(int a, int b) { return a + b; }
__device__ int subtract(int a, int b) { return a - b; }
__device__ int multiply(int a, int b) { return a * b; }

__device__ const Operation kOperations[] = {add, subtract, multiply};

__global__ void apply(const int* code, const int* in, int* out)
{
  const int t = threadIdx.x;
  out[t] = kOperations[code[t]](in[t], 7);
}

int main(int argc, char** argv)
{
  asks_for_good(argc, argv);
  const std::vector<int> code = sample(64, 3, 1);
  const std::vector<int> in = sample(64, 1000, 2);
  std::vector<int> want(64);
  for (int i = 0; i < 64; ++i)
    want[i] = code[i] == 0 ? in[i] + 7 : code[i] == 1 ? in[i] - 7 : in[i] * 7;
  const DeviceArray<int> device_code(code);
  const DeviceArray<int> device_in(in);
  const DeviceArray<int> device_out(64);
  apply<<<1, 64>>>(device_code, device_in, device_out);
  finish();
  return verify(device_out.download(), want);
}
