#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "matrix/cell.h"

namespace flashgate::matrix {

/// What a condition can speak of: every axis, and what a person says instead of several axes. The one derived attribute
/// is v4_available: device=sm100 and v4_import=yes.
struct Attribute
{
  std::string_view name;
  std::string_view help;
  std::vector<AxisValue> values;
  bool ordered;  ///< comparisons make sense (head_dim, by the head dim of query and key)
};

inline constexpr int kAttributeCount = kAxisCount + 1;

/// All attributes; those of the axes first, with their AxisId as index.
const std::vector<Attribute>& attributes();

/// Index of the attribute with that name; -1 if there is none.
int find_attribute(std::string_view name);

/// A set of values of one attribute, bit i for its value i.
using ValueSet = std::uint32_t;

/// Every value of an attribute.
ValueSet all_values(int attribute);

/// The cell's value of every attribute, as a one-element set each.
std::array<ValueSet, kAttributeCount> attribute_values(const Cell& cell);

}  // namespace flashgate::matrix
