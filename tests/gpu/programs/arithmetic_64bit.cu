// Right: 64-bit whole numbers: products and their upper halves, quotients, shifts, comparisons.
#include "tests/gpu/programs/program.cuh"

constexpr int kResults = 8;

__host__ __device__ long long upper_half(long long a, long long b)
{
#ifdef __CUDA_ARCH__
  return __mul64hi(a, b);
#else
  return static_cast<long long>(static_cast<__int128>(a) * b >> 64);
#endif
}

__host__ __device__ void evaluate(long long a, long long b, int t, long long* out)
{
  const unsigned long long ua = a;
  const unsigned long long ub = b;
  out[0] = a * b;
  out[1] = upper_half(a, b);
  out[2] = a / b;
  out[3] = a % b;
  out[4] = static_cast<long long>(ua / ub + ua % ub);
  out[5] = (a >> t % 64) ^ static_cast<long long>(ua >> t % 64) ^ static_cast<long long>(ub << t % 64);
  out[6] = (a < b) + 2 * (ua < ub) + 4 * (a == b);
  out[7] = (a < b ? a : b) - (static_cast<long long>(static_cast<int>(a)) * static_cast<int>(b));
}

__global__ void run(const long long* in, long long* out)
{
  const int t = threadIdx.x;
  evaluate(in[t], in[t ^ 1], t, out + t * kResults);
}

int main(int argc, char** argv)
{
  asks_for_good(argc, argv);
  const std::vector<int> high = sample(64, 1 << 20, 1);
  const std::vector<int> low = sample(64, 1 << 24, 2);
  std::vector<long long> in(64);
  for (int i = 0; i < 64; ++i)
    in[i] = ((high[i] - (1ll << 19)) << i % 40) * 16777213ll + low[i] + 1;
  std::vector<long long> want(64 * kResults);
  for (int t = 0; t < 64; ++t)
    evaluate(in[t], in[t ^ 1], t, &want[t * kResults]);
  const DeviceArray<long long> device_in(in);
  const DeviceArray<long long> device_out(want.size());
  run<<<1, 64>>>(device_in, device_out);
  finish();
  const std::vector<long long> got = device_out.download();
  for (size_t i = 0; i < want.size(); ++i) {  // doubles would not tell 64-bit numbers apart
    if (got[i] == want[i]) continue;
    printf("wrong: element %zu is %lld, the CPU says %lld\n", i, got[i], want[i]);
    return 1;
  }
  printf("ok\n");
  return 0;
}
