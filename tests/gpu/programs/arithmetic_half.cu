// Right: half and bfloat16 arithmetic, packed and scalar, on numbers whose results are exact.
#include <algorithm>

#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include "tests/gpu/programs/program.cuh"

__global__ void run_half(const float2* in, float2* out)
{
  const int t = threadIdx.x;
  const __half2 a = __float22half2_rn(in[t]);
  const __half2 b = __float22half2_rn(in[t ^ 1]);
  const __half2 c = __hfma2(a, b, __hadd2(a, __float2half2_rn(0.5f)));
  out[3 * t] = __half22float2(c);
  out[3 * t + 1] = __half22float2(__hmax2(a, b) - __hmin2(a, __hneg2(b)));
  out[3 * t + 2] = {__half2float(__hmul(__low2half(a), __high2half(b))),
                    __hgt(__low2half(a), __high2half(b)) ? 1.0f : 0.0f};
}

__global__ void run_bfloat16(const float2* in, float2* out)
{
  const int t = threadIdx.x;
  const __nv_bfloat162 a = __float22bfloat162_rn(in[t]);
  const __nv_bfloat162 b = __float22bfloat162_rn(in[t ^ 1]);
  const __nv_bfloat162 c = __hfma2(a, b, __hadd2(a, __float2bfloat162_rn(0.5f)));
  out[3 * t] = __bfloat1622float2(c);
  out[3 * t + 1] = __bfloat1622float2(__hmax2(a, b) - __hmin2(a, __hneg2(b)));
  out[3 * t + 2] = {__bfloat162float(__hmul(__low2bfloat16(a), __high2bfloat16(b))),
                    __hgt(__low2bfloat16(a), __high2bfloat16(b)) ? 1.0f : 0.0f};
}

int main(int argc, char** argv)
{
  asks_for_good(argc, argv);
  const std::vector<int> whole = sample(128, 11);
  std::vector<float2> in(64);
  for (int i = 0; i < 64; ++i)
    in[i] = {static_cast<float>(whole[2 * i]), static_cast<float>(whole[2 * i + 1] - 5)};
  std::vector<float> want;
  for (int t = 0; t < 64; ++t) {
    const float2 a = in[t];
    const float2 b = in[t ^ 1];
    want.insert(want.end(), {a.x * b.x + a.x + 0.5f, a.y * b.y + a.y + 0.5f, std::max(a.x, b.x) - std::min(a.x, -b.x),
                             std::max(a.y, b.y) - std::min(a.y, -b.y), a.x * b.y, a.x > b.y ? 1.0f : 0.0f});
  }
  want.insert(want.end(), want.begin(), want.begin() + 64 * 6);
  const DeviceArray<float2> device_in(in);
  const DeviceArray<float2> device_out(2 * 64 * 3);
  run_half<<<1, 64>>>(device_in, device_out);
  run_bfloat16<<<1, 64>>>(device_in, device_out + 64 * 3);
  finish();
  std::vector<float> got;
  for (float2 pair : device_out.download())
    got.insert(got.end(), {pair.x, pair.y});
  return verify(got, want);
}
