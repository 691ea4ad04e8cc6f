#include "matrix/cell_set.h"

#include <bit>

namespace flashgate::matrix {
namespace {

std::vector<int> restricted_attributes(const Condition& condition)
{
  std::vector<int> restricted;
  for (int a = 0; a < kAttributeCount; ++a)
    if (condition.allowed(a) != all_values(a)) restricted.push_back(a);
  return restricted;
}

}  // namespace

CellSet::CellSet(const std::vector<Cell>& cells) : words_((cells.size() + 63) / 64)
{
  for (int a = 0; a < kAttributeCount; ++a)
    bits_[a].resize(attributes()[a].values.size() * words_);
  for (std::size_t i = 0; i < cells.size(); ++i) {
    const std::array<ValueSet, kAttributeCount> values = attribute_values(cells[i]);
    for (int a = 0; a < kAttributeCount; ++a)
      bits_[a][std::countr_zero(values[a]) * words_ + i / 64] |= std::uint64_t{1} << (i % 64);
  }
}

bool CellSet::any_matches(const Condition& condition) const
{
  const std::vector<int> restricted = restricted_attributes(condition);
  if (restricted.empty()) return words_ != 0;
  for (std::size_t word = 0; word < words_; ++word) {
    std::uint64_t left = ~std::uint64_t{0};
    for (const int a : restricted)
      if ((left &= word_of(a, condition.allowed(a), word)) == 0) break;
    if (left != 0) return true;
  }
  return false;
}

std::uint64_t CellSet::word_of(int attribute, ValueSet set, std::size_t word) const
{
  std::uint64_t all = 0;
  for (; set != 0; set &= set - 1)
    all |= bits_[attribute][std::countr_zero(set) * words_ + word];
  return all;
}

}  // namespace flashgate::matrix
