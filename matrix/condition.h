#pragma once

#include <array>
#include <string>
#include <string_view>

#include "matrix/attributes.h"

namespace flashgate::matrix {

/// A conjunction over attributes: each may take one of a set of values. Written as terms between spaces:
///
///     flag_version=4 v4_available=no device!=xpu head_dim>128 signature=block_mask,group
///
/// `=` and `!=` take a list of values between commas; `>` and `<=` (head_dim only) compare the head dim of query and
/// key. The empty text is true for every cell.
class Condition
{
 public:
  /// True for every cell.
  Condition();

  /// Throws Error with one line that says what was expected.
  static Condition parse(std::string_view text);

  /// Narrows the condition by one term, "flag_version=4".
  void add_term(std::string_view term);

  /// The values attribute `index` may take.
  ValueSet allowed(int index) const { return allowed_[index]; }
  void allow(int index, ValueSet values) { allowed_[index] = values; }

  bool matches(const std::array<ValueSet, kAttributeCount>& cell) const;
  bool matches(const Cell& cell) const { return matches(attribute_values(cell)); }

  /// How many attributes it restricts.
  int term_count() const;

  /// The shortest spelling of each term, in the order of the attributes, the derived one after flag_version;
  /// parse(text()) is this condition.
  std::string text() const;

  bool operator==(const Condition&) const = default;

 private:
  std::array<ValueSet, kAttributeCount> allowed_;
};

/// The values of an ordered attribute above `bound`.
ValueSet values_above(int attribute, int bound);

}  // namespace flashgate::matrix
