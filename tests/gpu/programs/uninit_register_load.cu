// A predicated load in inline assembly forgets the value of the lanes that do not load.
#include "tests/gpu/programs/program.cuh"

template <bool kGood>
__device__ int load_if(const int* address, bool inside)
{
  int value;
  if constexpr (kGood) {
    asm volatile("{\n .reg .pred p;\n setp.ne.b32 p, %2, 0;\n mov.b32 %0, 0;\n @p ld.global.b32 %0, [%1];\n}"
                 : "=r"(value)
                 : "l"(address), "r"(static_cast<int>(inside)));
  } else {
    asm volatile("{\n .reg .pred p;\n setp.ne.b32 p, %2, 0;\n @p ld.global.b32 %0, [%1];\n}"  // FAULT: uninit-register
                 : "=r"(value)
                 : "l"(address), "r"(static_cast<int>(inside)));
  }
  return value;
}

template <bool kGood>
__global__ void pad(const int* in, int* out, int n)
{
  const int i = threadIdx.x;
  out[i] = 2 * load_if<kGood>(in + i, i < n);  // FAULT: uninit-register
}

int main(int argc, char** argv)
{
  const bool good = asks_for_good(argc, argv);
  const std::vector<int> in = sample(50, 1000);
  std::vector<int> want(64, 0);
  for (int i = 0; i < 50; ++i)
    want[i] = 2 * in[i];
  const DeviceArray<int> device_in(in);
  const DeviceArray<int> device_out(64);
  (good ? pad<true> : pad<false>)<<<1, 64>>>(device_in, device_out, 50);
  finish();
  return verify(device_out.download(), want);
}
