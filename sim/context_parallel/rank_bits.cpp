#include "sim/context_parallel/rank_bits.h"

#include <string>

#include "reference/error.h"

namespace flashgate::sim {
namespace {

void require_group(int cp_size, int cp_rank)
{
  if (cp_size < 1 || cp_size > kMaxRankBits) {
    throw Error("rank bits: a 64-bit word serves 1 to " + std::to_string(kMaxRankBits) + " ranks, got " +
                std::to_string(cp_size));
  }
  if (cp_rank < 0 || cp_rank >= cp_size) {
    throw Error("rank bits: cp_rank must be in [0, " + std::to_string(cp_size) + "), got " + std::to_string(cp_rank));
  }
}

}  // namespace

std::uint64_t peer_word(int cp_size, int cp_rank)
{
  require_group(cp_size, cp_rank);
  return rank_bit(cp_size) - rank_bit(cp_rank) - 1;
}

std::uint64_t residue(int cp_size, int cp_rank, std::uint64_t word)
{
  require_group(cp_size, cp_rank);
  for (int peer = 0; peer < cp_size; ++peer) {
    if (peer != cp_rank) word -= rank_bit(peer);
  }
  return word;
}

}  // namespace flashgate::sim
