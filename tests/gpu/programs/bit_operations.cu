// Right: counting, reversing, permuting, extracting and funnel-shifting bits.
#include "tests/gpu/programs/program.cuh"

constexpr int kResults = 14;

__global__ void evaluate(const unsigned* in, unsigned* out)
{
  const int t = threadIdx.x;
  const unsigned a = in[t];
  const unsigned b = in[t ^ 1];
  const unsigned long long wide = static_cast<unsigned long long>(a) << 32 | b;
  unsigned* mine = out + t * kResults;
  mine[0] = __popc(a) + 100 * __popcll(wide);
  mine[1] = __clz(a) + 100 * __clzll(wide);
  mine[2] = __ffs(a) + 100 * __ffsll(wide);
  mine[3] = __brev(a);
  mine[4] = static_cast<unsigned>(__brevll(wide) >> 32);
  mine[5] = __byte_perm(a, b, 0x3715);
  mine[6] = __funnelshift_l(a, b, t);
  mine[7] = __funnelshift_r(a, b, t);
  mine[8] = __funnelshift_lc(a, b, t + 16);
  mine[9] = (a & 0x00000ff0u) >> 4 | (b & 0xffu) << 8;
  mine[10] = (a & b) ^ (~a | b) ^ (a << t % 32) ^ (b >> t % 32);
  mine[11] = static_cast<unsigned>(static_cast<int>(a) >> t % 32);
  asm("bfi.b32 %0, %1, %2, %3, %4;" : "=r"(mine[12]) : "r"(a), "r"(b), "r"(t), "r"(t / 2));
  asm("bfe.s32 %0, %1, %2, %3;" : "=r"(mine[13]) : "r"(a), "r"(t), "r"(t / 2));
}

unsigned reversed(unsigned value)
{
  unsigned result = 0;
  for (int i = 0; i < 32; ++i)
    result |= (value >> i & 1) << (31 - i);
  return result;
}

unsigned permuted(unsigned a, unsigned b, unsigned selector)
{
  const unsigned long long bytes = static_cast<unsigned long long>(b) << 32 | a;
  unsigned result = 0;
  for (int i = 0; i < 4; ++i)
    result |= static_cast<unsigned>(bytes >> 8 * (selector >> 4 * i & 7) & 0xff) << 8 * i;
  return result;
}

unsigned inserted(unsigned source, unsigned into, int position, int length)
{
  for (int i = 0; i < length && position + i < 32; ++i) {
    const unsigned bit = 1u << (position + i);
    into = (source >> i & 1) != 0 ? into | bit : into & ~bit;
  }
  return into;
}

unsigned extracted_signed(unsigned source, int position, int length)
{
  const int last = position + length - 1 < 31 ? position + length - 1 : 31;
  const unsigned sign = length == 0 ? 0 : source >> last & 1;
  unsigned result = 0;
  for (int i = 0; i < 32; ++i) {
    const bool inside = i < length && position + i < 32;
    result |= (inside ? source >> (position + i) & 1 : sign) << i;
  }
  return result;
}

std::vector<unsigned> expected(unsigned a, unsigned b, int t)
{
  const unsigned long long wide = static_cast<unsigned long long>(a) << 32 | b;
  const unsigned long long joined = static_cast<unsigned long long>(b) << 32 | a;
  const int shift = t % 32;
  const int clamped = t + 16 < 32 ? t + 16 : 32;
  const auto clz = [](unsigned value) { return value == 0 ? 32 : __builtin_clz(value); };
  return {
      static_cast<unsigned>(__builtin_popcount(a) + 100 * __builtin_popcountll(wide)),
      static_cast<unsigned>(clz(a) + 100 * (a != 0 ? clz(a) : 32 + clz(b))),
      static_cast<unsigned>(__builtin_ffs(static_cast<int>(a)) + 100 * __builtin_ffsll(static_cast<long long>(wide))),
      reversed(a),
      reversed(b),
      permuted(a, b, 0x3715),
      static_cast<unsigned>((joined << shift) >> 32),
      static_cast<unsigned>(joined >> shift),
      clamped == 32 ? a : static_cast<unsigned>((joined << clamped) >> 32),
      (a & 0x00000ff0u) >> 4 | (b & 0xffu) << 8,
      (a & b) ^ (~a | b) ^ (a << shift) ^ (b >> shift),
      static_cast<unsigned>(static_cast<int>(a) >> shift),
      inserted(a, b, t, t / 2),
      extracted_signed(a, t, t / 2)};
}

int main(int argc, char** argv)
{
  asks_for_good(argc, argv);
  std::vector<unsigned> in(32);
  for (int i = 0; i < 32; ++i)
    in[i] = static_cast<unsigned>(sample(32, 1 << 24, 3)[i]) * 2654435761u;
  in[4] = 0;
  in[5] = 0;
  in[9] = 1;
  std::vector<unsigned> want;
  for (int t = 0; t < 32; ++t) {
    for (unsigned value : expected(in[t], in[t ^ 1], t))
      want.push_back(value);
  }
  const DeviceArray<unsigned> device_in(in);
  const DeviceArray<unsigned> device_out(want.size());
  evaluate<<<1, 32>>>(device_in, device_out);
  finish();
  return verify(device_out.download(), want);
}
