#pragma once

#include <cstdint>
#include <random>
#include <vector>

namespace flashgate::sim {

/// Which rank goes next when ranks run one at a time: drawn from the seed among the ranks that are ready, so a seed
/// is an order of delivery. The order depends on nothing else. Not thread-safe; the group calls it under its lock.
class TurnOrder
{
 public:
  TurnOrder(int cp_size, std::uint64_t seed);

  /// Keeps a rank back for so many turns of others. A delayed rank goes all the same if no other is ready.
  void delay(int cp_rank, int turns);

  /// The next rank, -1 if none is ready. `ready` has an element per rank.
  int choose(const std::vector<bool>& ready);

  /// Every rank chosen so far, in order.
  const std::vector<int>& turns() const { return turns_; }

 private:
  std::mt19937_64 generator_;
  std::vector<int> delays_;  ///< turns that a rank still has to wait
  std::vector<int> turns_;
};

}  // namespace flashgate::sim
