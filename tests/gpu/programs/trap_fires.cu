// A switch traps on an operation code that it does not know.
#include "tests/gpu/programs/program.cuh"

__global__ void apply(const int* code, const int* in, int* out)
{
  const int value = in[threadIdx.x];
  int result = 0;
  switch (code[threadIdx.x]) {
    case 0:
      result = -value;
      break;
    case 1:
      result = value * value;
      break;
    case 2:
      result = value / 3;
      break;
    default:
      __trap();  // FAULT: trap
  }
  out[threadIdx.x] = result;
}

int main(int argc, char** argv)
{
  const bool good = asks_for_good(argc, argv);
  const std::vector<int> code = sample(64, good ? 3 : 4, 1);
  const std::vector<int> in = sample(64, 1000, 2);
  std::vector<int> want(64);
  for (int i = 0; i < 64; ++i)
    want[i] = code[i] == 0 ? -in[i] : code[i] == 1 ? in[i] * in[i] : in[i] / 3;
  const DeviceArray<int> device_code(code);
  const DeviceArray<int> device_in(in);
  const DeviceArray<int> device_out(64);
  apply<<<1, 64>>>(device_code, device_in, device_out);
  finish();
  return verify(device_out.download(), want);
}
