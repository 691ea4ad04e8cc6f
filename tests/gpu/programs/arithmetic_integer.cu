// Right: 32-bit, 16-bit and 8-bit whole numbers: division, remainders, upper halves, saturation, absolute differences.
#include <algorithm>

#include "tests/gpu/programs/program.cuh"

constexpr int kResults = 8;

__global__ void run(const int* in, int* out)
{
  const int t = threadIdx.x;
  const int a = in[t];
  const int b = in[t ^ 1];
  int* mine = out + t * kResults;
  mine[0] = a / b;
  mine[1] = a % b;
  mine[2] = static_cast<int>(static_cast<unsigned>(a) / static_cast<unsigned>(b));
  mine[3] = __mulhi(a, b) ^ static_cast<int>(__umulhi(a, b));
  mine[4] = static_cast<int>(__sad(a, b, 5u));
  mine[5] = static_cast<short>(a) * static_cast<signed char>(b) - static_cast<unsigned char>(a);
  asm("add.sat.s32 %0, %1, %2;" : "=r"(mine[6]) : "r"(a << 7), "r"(b << 7));
  mine[7] = a / 7 + b % 10 + max(min(a, 1000), -1000) + abs(b);
}

int saturated(long long value)
{
  return static_cast<int>(value > 0x7fffffffll ? 0x7fffffffll : value < -0x80000000ll ? -0x80000000ll : value);
}

int main(int argc, char** argv)
{
  asks_for_good(argc, argv);
  std::vector<int> in = sample(64, 1 << 24);
  for (int i = 0; i < 64; ++i)
    in[i] = (i % 3 == 0 ? in[i] - (1 << 24) : in[i] >> i % 20) + (i % 3 == 0 ? 0 : 1);
  std::vector<int> want;
  for (int t = 0; t < 64; ++t) {
    const int a = in[t];
    const int b = in[t ^ 1];
    const long long product = static_cast<long long>(a) * b;
    const unsigned long long unsigned_product = 1ull * static_cast<unsigned>(a) * static_cast<unsigned>(b);
    const long long difference = static_cast<long long>(a) - b;
    want.insert(want.end(), {a / b, a % b, static_cast<int>(static_cast<unsigned>(a) / static_cast<unsigned>(b)),
                             static_cast<int>(product >> 32) ^ static_cast<int>(unsigned_product >> 32),
                             static_cast<int>((difference < 0 ? -difference : difference) + 5),
                             static_cast<short>(a) * static_cast<signed char>(b) - static_cast<unsigned char>(a),
                             saturated(static_cast<long long>(static_cast<int>(static_cast<unsigned>(a) << 7)) +
                                       static_cast<int>(static_cast<unsigned>(b) << 7)),
                             a / 7 + b % 10 + std::max(std::min(a, 1000), -1000) + std::abs(b)});
  }
  const DeviceArray<int> device_in(in);
  const DeviceArray<int> device_out(want.size());
  run<<<1, 64>>>(device_in, device_out);
  finish();
  return verify(device_out.download(), want);
}
