// Right: double precision: fused products, square roots, exponentials, rounding and conversions.
#include "tests/gpu/programs/program.cuh"

constexpr int kResults = 8;

__host__ __device__ void evaluate(double a, double b, double* out)
{
  out[0] = fma(a, b, 0.125);
  out[1] = a / b;
  out[2] = sqrt(a);
  out[3] = exp(-a / 100);
  out[4] = log(b);
  out[5] = floor(a * 3.7) + ceil(b / 3.1) + rint(a + 0.5) + trunc(-b / 7);
  out[6] = fmin(a, b) - fmax(a, b) + fabs(a - b);
  out[7] = static_cast<double>(static_cast<float>(a / 3)) + static_cast<double>(static_cast<long long>(b * 1e6));
}

__global__ void run(const double* in, double* out)
{
  const int t = threadIdx.x;
  evaluate(in[t], in[t ^ 1], out + t * kResults);
}

int main(int argc, char** argv)
{
  asks_for_good(argc, argv);
  const std::vector<int> whole = sample(64, 1000);
  std::vector<double> in(64);
  for (int i = 0; i < 64; ++i)
    in[i] = (whole[i] + 1) * 0.37;
  std::vector<double> want(64 * kResults);
  for (int t = 0; t < 64; ++t)
    evaluate(in[t], in[t ^ 1], &want[t * kResults]);
  const DeviceArray<double> device_in(in);
  const DeviceArray<double> device_out(want.size());
  run<<<1, 64>>>(device_in, device_out);
  finish();
  return verify(device_out.download(), want, 1e-9);
}
