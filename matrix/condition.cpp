#include "matrix/condition.h"

#include <algorithm>
#include <bit>
#include <charconv>

#include <fmt/format.h>

#include "matrix/texts.h"
#include "reference/error.h"

namespace flashgate::matrix {
namespace {

[[noreturn]] void reject(std::string_view term, std::string_view why)
{
  throw Error(fmt::format("condition '{}': {}", printable(term), why));
}

/// "64/64" is accepted for "64", as in cell names.
int value_of(int attribute, std::string_view text)
{
  if (attribute < kAxisCount) return find_value(axes()[attribute], text).value_or(-1);
  const auto& values = attributes()[attribute].values;
  const auto found = std::find_if(values.begin(), values.end(), [&](const AxisValue& v) { return v.text == text; });
  return found == values.end() ? -1 : static_cast<int>(found - values.begin());
}

std::string spell_list(int attribute, ValueSet set)
{
  std::string list;
  const auto& values = attributes()[attribute].values;
  for (std::size_t i = 0; i < values.size(); ++i)
    if (set >> i & 1) list += fmt::format("{}{}", list.empty() ? "" : ",", values[i].text);
  return list;
}

ValueSet parse_list(std::string_view term, int attribute, std::string_view list)
{
  ValueSet set = 0;
  for (const std::string_view text : split(list, ',')) {
    const int value = value_of(attribute, text);
    if (value < 0)
      reject(term, fmt::format("{} has no value '{}', expected of {}", attributes()[attribute].name, printable(text),
                               spell_list(attribute, all_values(attribute))));
    set |= ValueSet{1} << value;
  }
  return set;
}

ValueSet parse_bound(std::string_view term, int attribute, std::string_view text)
{
  int bound = 0;
  const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), bound);
  if (failure != std::errc() || end != text.data() + text.size()) reject(term, "expected a number after > or <=");
  if (!attributes()[attribute].ordered) reject(term, "only head_dim has an order, expected = or !=");
  return values_above(attribute, bound);
}

struct Term
{
  std::string_view name, sign, value;
};

/// Splits at the first of = != > <=.
Term split_term(std::string_view text)
{
  const std::size_t at = text.find_first_of("=!><");
  if (at == std::string_view::npos) reject(text, "expected attribute=value");
  const bool two = (text[at] == '!' || text[at] == '<') && at + 1 < text.size() && text[at + 1] == '=';
  if (!two && text[at] != '=' && text[at] != '>') reject(text, "expected one of = != > <=");
  const std::size_t length = two ? 2 : 1;
  return {text.substr(0, at), text.substr(at, length), text.substr(at + length)};
}

/// The term for `set` of an ordered attribute if it is a range: "head_dim>128"; empty otherwise.
std::string spell_range(int attribute, ValueSet set)
{
  const Attribute& a = attributes()[attribute];
  if (!a.ordered) return {};
  for (const AxisValue& v : a.values) {
    const ValueSet above = values_above(attribute, v.number);
    if (set == above) return fmt::format("{}>{}", a.name, v.number);
    if (set == (all_values(attribute) & ~above)) return fmt::format("{}<={}", a.name, v.number);
  }
  return {};
}

std::string spell_term(int attribute, ValueSet set)
{
  const std::string_view name = attributes()[attribute].name;
  if (const std::string range = spell_range(attribute, set); !range.empty() && std::popcount(set) > 1) return range;
  const ValueSet others = all_values(attribute) & ~set;
  if (2 * std::popcount(others) < std::popcount(set)) return fmt::format("{}!={}", name, spell_list(attribute, others));
  return fmt::format("{}={}", name, spell_list(attribute, set));
}

/// The order in which terms are spelled: as the axes, but v4_available where a reader looks for it.
const std::array<int, kAttributeCount>& spelling_order()
{
  static const auto order = [] {
    std::array<int, kAttributeCount> all{};
    int next = 0;
    for (int i = 0; i < kAxisCount; ++i) {
      all[next++] = i;
      if (i == static_cast<int>(AxisId::flag_version)) all[next++] = kAxisCount;
    }
    return all;
  }();
  return order;
}

}  // namespace

Condition::Condition()
{
  for (int i = 0; i < kAttributeCount; ++i)
    allowed_[i] = all_values(i);
}

Condition Condition::parse(std::string_view text)
{
  Condition condition;
  for (const std::string_view term : split(text, ' '))
    if (!term.empty()) condition.add_term(term);
  return condition;
}

void Condition::add_term(std::string_view text)
{
  const Term term = split_term(text);
  const int attribute = find_attribute(term.name);
  if (attribute < 0) reject(text, fmt::format("there is no axis '{}'", printable(term.name)));
  const bool compares = term.sign == ">" || term.sign == "<=";
  const ValueSet set = compares ? parse_bound(text, attribute, term.value) : parse_list(text, attribute, term.value);
  const bool complement = term.sign == "!=" || term.sign == "<=";
  allowed_[attribute] &= complement ? ~set & all_values(attribute) : set;
  if (allowed_[attribute] == 0) reject(text, "no value is left, the condition can never hold");
}

bool Condition::matches(const std::array<ValueSet, kAttributeCount>& cell) const
{
  for (int i = 0; i < kAttributeCount; ++i)
    if ((allowed_[i] & cell[i]) == 0) return false;
  return true;
}

int Condition::term_count() const
{
  int count = 0;
  for (int i = 0; i < kAttributeCount; ++i)
    count += allowed_[i] != all_values(i);
  return count;
}

std::string Condition::text() const
{
  std::string text;
  for (const int i : spelling_order()) {
    if (allowed_[i] == all_values(i)) continue;
    text += fmt::format("{}{}", text.empty() ? "" : " ", spell_term(i, allowed_[i]));
  }
  return text;
}

ValueSet values_above(int attribute, int bound)
{
  ValueSet set = 0;
  const auto& values = attributes()[attribute].values;
  for (std::size_t i = 0; i < values.size(); ++i)
    if (values[i].number > bound) set |= ValueSet{1} << i;
  return set;
}

}  // namespace flashgate::matrix
