// B29: per-rank bits built with a 32-bit shift; with 32 or more ranks the semaphore never reaches zero.
#include <cstdint>

#include <doctest/doctest.h>

#include "reference/error.h"
#include "sim/context_parallel/rank_bits.h"

namespace flashgate::sim {
namespace {

/// `1 << n` where the shift count wraps at 32 bits, and all else is 32-bit arithmetic too.
std::uint32_t faulty_bit(int n) { return 1U << (n % 32); }

std::uint32_t faulty_word(int cp_size, int cp_rank) { return faulty_bit(cp_size) - faulty_bit(cp_rank) - 1; }

std::uint32_t faulty_residue(int cp_size, int cp_rank)
{
  std::uint32_t word = faulty_word(cp_size, cp_rank);
  for (int peer = 0; peer < cp_size; ++peer) {
    if (peer != cp_rank) word -= faulty_bit(peer);
  }
  return word;
}

}  // namespace

TEST_CASE("B29: the word reaches zero for every rank of every group up to 63")
{
  for (int cp_size = 1; cp_size <= kMaxRankBits; ++cp_size) {
    for (int cp_rank = 0; cp_rank < cp_size; ++cp_rank)
      CHECK(residue(cp_size, cp_rank, peer_word(cp_size, cp_rank)) == 0);
  }
  CHECK(peer_word(32, 0) == 4294967294U);
  CHECK(peer_word(1, 0) == 0);
}

TEST_CASE("B29: 64 ranks are refused with the reason, and ranks outside the group too")
{
  CHECK_THROWS_WITH_AS(peer_word(64, 0), "rank bits: a 64-bit word serves 1 to 63 ranks, got 64", Error);
  CHECK_THROWS_AS(peer_word(0, 0), Error);
  CHECK_THROWS_AS(peer_word(4, 4), Error);
}

TEST_CASE("B29: built with 32-bit shifts, the word still serves 31 ranks and leaves all ranks of 32 waiting for ever")
{
  for (int cp_rank = 0; cp_rank < 31; ++cp_rank)
    CHECK(faulty_residue(31, cp_rank) == 0);
  for (int cp_rank = 0; cp_rank < 32; ++cp_rank)
    CHECK(faulty_residue(32, cp_rank) == 1);
  CHECK(static_cast<std::int32_t>(faulty_word(32, 0)) == -1);
  CHECK(faulty_word(33, 0) == 0);
  CHECK(faulty_residue(33, 0) == 1);
}

}  // namespace flashgate::sim
