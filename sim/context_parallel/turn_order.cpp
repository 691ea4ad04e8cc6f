#include "sim/context_parallel/turn_order.h"

#include <algorithm>
#include <limits>

namespace flashgate::sim {

TurnOrder::TurnOrder(int cp_size, std::uint64_t seed) : generator_(seed), delays_(static_cast<std::size_t>(cp_size)) {}

void TurnOrder::delay(int cp_rank, int turns) { delays_[static_cast<std::size_t>(cp_rank)] += turns; }

int TurnOrder::choose(const std::vector<bool>& ready)
{
  int least = std::numeric_limits<int>::max();
  for (std::size_t r = 0; r < ready.size(); ++r) {
    if (ready[r]) least = std::min(least, delays_[r]);
  }
  std::vector<std::size_t> candidates;
  for (std::size_t r = 0; r < ready.size(); ++r) {
    if (!ready[r]) continue;
    if (delays_[r] == least) candidates.push_back(r);
    delays_[r] = std::max(0, delays_[r] - 1);
  }
  if (candidates.empty()) return -1;
  const std::size_t next = candidates[generator_() % candidates.size()];
  delays_[next] = 0;
  turns_.push_back(static_cast<int>(next));
  return turns_.back();
}

}  // namespace flashgate::sim
