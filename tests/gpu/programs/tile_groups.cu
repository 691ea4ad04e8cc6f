// Right: cooperative groups inside a block: tiles, their shuffles and votes, and groups of the lanes that are active.
#include <cooperative_groups.h>

#include "tests/gpu/programs/program.cuh"

namespace cg = cooperative_groups;

__global__ void tile_sums(const int* in, int* out, int* odd)
{
  const cg::thread_block block = cg::this_thread_block();
  const cg::thread_block_tile<16> tile = cg::tiled_partition<16>(block);
  const int t = block.thread_rank();
  const int value = in[t];
  int sum = value;
  for (int distance = tile.size() / 2; distance > 0; distance /= 2)
    sum += tile.shfl_down(sum, distance);
  const bool any_large = tile.any(value > 990);
  if (tile.thread_rank() == 0) out[tile.meta_group_rank()] = any_large ? -sum : sum;
  if (value % 2 == 1) {  // one atomic for all lanes that are here together
    const cg::coalesced_group active = cg::coalesced_threads();
    if (active.thread_rank() == 0) atomicAdd(odd, static_cast<int>(active.size()));
  }
  block.sync();
  if (t < 8 && t % 2 == 0) out[8 + t / 2] = out[t] + out[t + 1];
}

int main(int argc, char** argv)
{
  asks_for_good(argc, argv);
  const std::vector<int> in = sample(128, 1000);
  std::vector<int> want(8 + 4 + 1, 0);
  for (int tile = 0; tile < 8; ++tile) {
    bool any_large = false;
    for (int i = 0; i < 16; ++i) {
      want[tile] += in[tile * 16 + i];
      any_large = any_large || in[tile * 16 + i] > 990;
    }
    if (any_large) want[tile] = -want[tile];
  }
  for (int i = 0; i < 4; ++i)
    want[8 + i] = want[2 * i] + want[2 * i + 1];
  for (int value : in)
    want[12] += value % 2;
  const DeviceArray<int> device_in(in);
  const DeviceArray<int> device_out(12);
  const DeviceArray<int> odd(std::vector<int>{0});
  tile_sums<<<1, 128>>>(device_in, device_out, odd);
  finish();
  std::vector<int> got = device_out.download();
  got.push_back(odd.download()[0]);
  return verify(got, want);
}
