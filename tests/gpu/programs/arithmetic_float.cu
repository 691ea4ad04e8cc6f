// Right: single precision: intrinsics with stated rounding, saturation, approximations within their documented error.
#include <algorithm>

#include "tests/gpu/programs/program.cuh"

constexpr int kResults = 9;

__global__ void run(const float* in, float* out)
{
  const int t = threadIdx.x;
  const float a = in[t];
  const float b = in[t ^ 1];
  float* mine = out + t * kResults;
  mine[0] = __fmaf_rn(a, b, -1.0f);
  mine[1] = __saturatef(a / 20);
  mine[2] = fminf(a, b) + 2 * fmaxf(a, -b);
  mine[3] = __fdividef(a, b);
  mine[4] = __expf(-a);
  mine[5] = __log2f(b);
  mine[6] = rsqrtf(a);
  mine[7] = __fsqrt_rn(b) + __fdiv_rn(a, b);
  mine[8] =
      static_cast<float>(__float2int_rd(a * 10) + __float2int_ru(b * 10) + __float2int_rn(a) + __float2int_rz(-b));
}

int main(int argc, char** argv)
{
  asks_for_good(argc, argv);
  const std::vector<int> whole = sample(64, 100);
  std::vector<float> in(64);
  for (int i = 0; i < 64; ++i)
    in[i] = static_cast<float>(whole[i] + 1) * 0.35f;
  std::vector<float> want;
  for (int t = 0; t < 64; ++t) {
    const float a = in[t];
    const float b = in[t ^ 1];
    want.insert(want.end(), {std::fma(a, b, -1.0f), std::min(a / 20, 1.0f), std::min(a, b) + 2 * a, a / b, std::exp(-a),
                             std::log2(b), 1 / std::sqrt(a), std::sqrt(b) + a / b,
                             std::floor(a * 10) + std::ceil(b * 10) + std::rint(a) + std::trunc(-b)});
  }
  const DeviceArray<float> device_in(in);
  const DeviceArray<float> device_out(want.size());
  run<<<1, 64>>>(device_in, device_out);
  finish();
  return verify(device_out.download(), want, 2e-5);
}
