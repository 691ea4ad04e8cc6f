// Right: loops whose trip counts differ per lane, with break, continue, switch and early return nested.
#include "tests/gpu/programs/program.cuh"

__host__ __device__ int walk(int value)
{
  int steps = 0;
  while (value != 1) {
    value = value % 2 == 0 ? value / 2 : 3 * value + 1;
    if (++steps > 200) return -1;
  }
  return steps;
}

__host__ __device__ int mix(int value)
{
  int result = 0;
  for (int k = 0; k < value % 7; ++k) {
    switch ((value + k) % 5) {
      case 0:
        result += k * value;
        break;
      case 1:
        if (value % 3 == 0) continue;
        result -= 9;
        break;
      case 2:
        result = -result;
        [[fallthrough]];
      case 3:
        for (int j = k; j < 10; ++j) {
          if ((result + j) % 11 == 0) break;
          result += j ^ value;
        }
        break;
      default:
        if (result > 100000) return result;
        result = 2 * result + 1;
    }
  }
  return result;
}

__global__ void evaluate(const int* in, int* out, int n)
{
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  out[i] = i % 2 == 0 ? walk(in[i] + 1) : mix(in[i]);
}

int main(int argc, char** argv)
{
  asks_for_good(argc, argv);
  const int n = 1000;
  const std::vector<int> in = sample(n, 10000);
  std::vector<int> want(n);
  for (int i = 0; i < n; ++i)
    want[i] = i % 2 == 0 ? walk(in[i] + 1) : mix(in[i]);
  const DeviceArray<int> device_in(in);
  const DeviceArray<int> device_out(n);
  evaluate<<<8, 128>>>(device_in, device_out, n);
  finish();
  return verify(device_out.download(), want);
}
