#pragma once

#include <cstdint>

namespace flashgate::sim {

/// The semaphore of the overlapped all-gather and reduce-scatter, as integers: a rank waits on a 64-bit word that
/// starts with one bit for each peer, every peer p subtracts 2^p when it is through, and the word reaches 0 when all
/// are. Built with 32-bit shifts it never does from 32 ranks on, and all ranks wait for ever
/// (PaddlePaddle/flash-attention#131). Pure functions, any thread.

/// The largest group a 64-bit word serves: with 64 ranks, 2^64 - 2^r - 1 does not fit.
constexpr int kMaxRankBits = 63;

/// What peer cp_rank subtracts: 2^cp_rank. REQUIRES: 0 <= cp_rank < 64.
constexpr std::uint64_t rank_bit(int cp_rank) { return std::uint64_t{1} << cp_rank; }

/// The word rank cp_rank starts with: 2^cp_size - 2^cp_rank - 1. Throws Error for a group of less than 1 or more than
/// kMaxRankBits ranks, and for a rank that is not in it.
std::uint64_t peer_word(int cp_size, int cp_rank);

/// What is left of the word after every peer has subtracted its bit; not 0 means that the rank waits for ever.
/// Throws Error like peer_word.
std::uint64_t residue(int cp_size, int cp_rank, std::uint64_t word);

}  // namespace flashgate::sim
