#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "matrix/condition.h"

namespace flashgate::matrix {

/// Answers whether any cell of a set matches a condition, 64 cells at a time: one bit set over the cells per attribute
/// value. It costs much more to make than to ask.
class CellSet
{
 public:
  explicit CellSet(const std::vector<Cell>& cells);

  bool any_matches(const Condition& condition) const;

 private:
  /// Which of the cells of a word have one of the attribute's values in `set`.
  std::uint64_t word_of(int attribute, ValueSet set, std::size_t word) const;

  std::size_t words_;
  std::array<std::vector<std::uint64_t>, kAttributeCount> bits_;
};

}  // namespace flashgate::matrix
