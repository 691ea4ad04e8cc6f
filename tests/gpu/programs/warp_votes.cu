// Right: votes, ballots, matches, warp reductions and shuffles, also in parts of a warp.
#include "tests/gpu/programs/program.cuh"

__global__ void vote(const int* in, unsigned* out)
{
  const int lane = threadIdx.x;
  const unsigned all = 0xffffffffu;
  const unsigned value = in[lane];
  unsigned* mine = out + lane * 10;
  mine[0] = __ballot_sync(all, value % 2);
  mine[1] = __all_sync(all, value < 16) + 2 * __any_sync(all, value == 17);
  mine[2] = __match_any_sync(all, value);
  int same = 0;
  mine[3] = __match_all_sync(all, value / 16, &same) == all ? 1 : 0;
  mine[3] += 2 * same;
  mine[4] = __reduce_add_sync(all, value);
  mine[5] = __reduce_max_sync(all, value) * 100 + __reduce_min_sync(all, value);
  mine[6] = __reduce_xor_sync(all, value) + (__reduce_or_sync(all, value) << 8) + (__reduce_and_sync(all, value) << 16);
  mine[7] = __shfl_down_sync(all, value, 3, 8) + 100 * __shfl_sync(all, value, lane * 7, 16);
  if (value % 3 == 0) {
    const unsigned active = __ballot_sync(__activemask(), 1);
    mine[8] = active;
    mine[9] = __popc(active & ((1u << lane) - 1));
  } else {
    mine[8] = 0;
    mine[9] = __shfl_xor_sync(__activemask(), value, 0);
  }
}

int main(int argc, char** argv)
{
  asks_for_good(argc, argv);
  const std::vector<int> in = sample(32, 16);
  unsigned odd = 0, thirds = 0, sum = 0, largest = 0, least = 99, exclusive = 0, any = 0, every = ~0u;
  for (int i = 0; i < 32; ++i) {
    const unsigned value = in[i];
    odd |= value % 2 << i;
    thirds |= (value % 3 == 0 ? 1u : 0u) << i;
    sum += value;
    largest = value > largest ? value : largest;
    least = value < least ? value : least;
    exclusive ^= value;
    any |= value;
    every &= value;
  }
  std::vector<unsigned> want;
  for (int lane = 0; lane < 32; ++lane) {
    const unsigned value = in[lane];
    unsigned equal = 0;
    for (int i = 0; i < 32; ++i)
      equal |= (in[i] == in[lane] ? 1u : 0u) << i;
    const bool third = value % 3 == 0;
    unsigned before = 0;
    for (int i = 0; i < lane; ++i)
      before += thirds >> i & 1;
    const unsigned down = in[lane % 8 + 3 < 8 ? lane + 3 : lane];
    const unsigned indexed = in[lane / 16 * 16 + lane * 7 % 16];
    want.insert(want.end(), {odd, 1u, equal, 3u, sum, largest * 100 + least, exclusive + (any << 8) + (every << 16),
                             down + 100 * indexed, third ? thirds : 0u, third ? before : value});
  }
  const DeviceArray<int> device_in(in);
  const DeviceArray<unsigned> device_out(320);
  vote<<<1, 32>>>(device_in, device_out);
  finish();
  return verify(device_out.download(), want);
}
