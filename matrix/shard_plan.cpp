#include "matrix/shard_plan.h"

#include <algorithm>
#include <numeric>

#include "matrix/cell_filter.h"

namespace flashgate::matrix {

std::vector<int> plan_shards(const std::vector<Cell>& cells, const CellSeconds& seconds, int count)
{
  std::vector<std::string> names;
  std::vector<double> times;
  for (const Cell& cell : cells) {
    names.push_back(cell_name(cell));
    const auto known = seconds.find(names.back());
    times.push_back(known == seconds.end() ? 0 : known->second);
  }
  std::vector<std::size_t> order(cells.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::sort(order, [&](std::size_t left, std::size_t right) {
    return times[left] != times[right] ? times[left] > times[right] : names[left] < names[right];
  });

  std::vector<int> shards(cells.size());
  std::vector<double> load(static_cast<std::size_t>(count));
  for (const std::size_t i : order) {
    if (times[i] <= 0) {
      shards[i] = hashed_shard(names[i], count);
      continue;
    }
    const auto least = std::ranges::min_element(load);
    *least += times[i];
    shards[i] = static_cast<int>(least - load.begin()) + 1;
  }
  return shards;
}

}  // namespace flashgate::matrix
