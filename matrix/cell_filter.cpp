#include "matrix/cell_filter.h"

#include <charconv>
#include <optional>
#include <regex>

#include <fmt/format.h>
#include <xxhash.h>

#include "matrix/texts.h"
#include "reference/error.h"

namespace flashgate::matrix {
namespace {

/// A filter expression, compiled; every failure, also one while matching, becomes an Error of one line.
class Expression
{
 public:
  explicit Expression(const std::string& text) : text_(text)
  {
    guarded([&] { regex_.assign(text, std::regex::ECMAScript | std::regex::optimize); });
  }

  bool found_in(const std::string& name) const
  {
    bool found = false;
    guarded([&] { found = std::regex_search(name, regex_); });
    return found;
  }

 private:
  template <typename Action>
  void guarded(const Action& action) const
  {
    try {
      action();
    } catch (const std::regex_error& e) {
      throw Error(
          fmt::format("'{}': {}, expected a regular expression (ECMAScript)", printable(text_), printable(e.what())));
    }
  }

  std::string text_;
  std::regex regex_;
};

}  // namespace

int hashed_shard(const std::string& name, int count)
{
  return static_cast<int>(XXH3_64bits(name.data(), name.size()) % static_cast<XXH64_hash_t>(count)) + 1;
}

Shard parse_shard(std::string_view text)
{
  const auto number = [](std::string_view digits, int& value) {
    const auto [end, code] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
    return code == std::errc{} && end == digits.data() + digits.size();
  };
  const std::vector<std::string_view> parts = split(text, '/');
  Shard shard;
  const bool parsed = parts.size() == 2 && number(parts[0], shard.index) && number(parts[1], shard.count);
  if (!parsed || shard.index < 1 || shard.index > shard.count)
    throw Error(fmt::format("shard '{}', expected I/N with 1 <= I <= N", printable(text)));
  return shard;
}

std::vector<Cell> filter_cells(const std::vector<Cell>& cells, const CellFilter& filter)
{
  std::optional<Expression> include, exclude;
  if (!filter.include.empty()) include.emplace(filter.include);
  if (!filter.exclude.empty()) exclude.emplace(filter.exclude);
  std::vector<Cell> result;
  for (const Cell& cell : cells) {
    const std::string name = cell_name(cell);
    if ((!include || include->found_in(name)) && !(exclude && exclude->found_in(name))) result.push_back(cell);
  }
  return result;
}

}  // namespace flashgate::matrix
