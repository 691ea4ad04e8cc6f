#include "matrix/axes.h"

#include <set>
#include <string>

#include <doctest/doctest.h>

#include "matrix/cell.h"

namespace flashgate::matrix {

TEST_CASE("axes stand in the order of their ids and have names and values of their own")
{
  REQUIRE(axes().size() == kAxisCount);
  std::set<std::string_view> names;
  for (int i = 0; i < kAxisCount; ++i) {
    const Axis& a = axes()[i];
    CAPTURE(a.name);
    CHECK(static_cast<int>(a.id) == i);
    CHECK(names.insert(a.name).second);
    CHECK_FALSE(a.help.empty());
    CHECK(a.values.size() >= 2);
    std::set<std::string_view> texts;
    for (const AxisValue& value : a.values)
      CHECK(texts.insert(value.text).second);
  }
}

TEST_CASE("an axis and a value are found by the names they print")
{
  for (const Axis& a : axes()) {
    CAPTURE(a.name);
    CHECK(find_axis(a.name) == a.id);
    for (int i = 0; i < static_cast<int>(a.values.size()); ++i)
      CHECK(find_value(a, a.values[i].text) == i);
  }
  CHECK_FALSE(find_axis("head_dim_v"));
  CHECK_FALSE(find_axis(""));
  CHECK_FALSE(find_value(axis(AxisId::device), "sm91"));
}

TEST_CASE("an equal pair of head dims has two spellings, an unequal one has one")
{
  const Axis& dims = axis(AxisId::head_dim);
  CHECK(find_value(dims, "64/64") == find_value(dims, "64"));
  CHECK(find_value(dims, "192/128") != find_value(dims, "192"));
  CHECK_FALSE(find_value(dims, "128/192"));
}

TEST_CASE("columns spell both head dims")
{
  CHECK(axis_columns().size() == kAxisCount + 1);
  const Cell cell = parse_cell("rr_flashmask/head_dim=192/128");
  const Cell equal = parse_cell("rr_flashmask/head_dim=64");
  for (const AxisColumn& column : axis_columns()) {
    if (column.axis != AxisId::head_dim) continue;
    CHECK(column_text(column, cell) == (column.second ? "128" : "192"));
    CHECK(column_text(column, equal) == "64");
  }
}

TEST_CASE("a default depends on path and flip alone")
{
  for (const Axis& a : axes()) {
    if (a.default_index == nullptr) continue;
    CAPTURE(a.name);
    for (int path = 0; path < 5; ++path)
      for (int flip = 0; flip < 6; ++flip) {
        Cell low, high;
        for (const Axis& other : axes())
          high[other.id] = static_cast<std::uint8_t>(other.values.size() - 1);
        low[AxisId::path] = high[AxisId::path] = static_cast<std::uint8_t>(path);
        low[AxisId::flip] = high[AxisId::flip] = static_cast<std::uint8_t>(flip);
        CHECK(a.default_index(low) == a.default_index(high));
      }
  }
}

}  // namespace flashgate::matrix
