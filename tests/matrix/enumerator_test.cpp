#include "matrix/enumerator.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <set>
#include <string>

#include <doctest/doctest.h>

#include "matrix/cell_filter.h"
#include "matrix/constraints.h"
#include "matrix/covering_array_verifier.h"
#include "matrix/run_selection.h"
#include "reference/error.h"

namespace flashgate::matrix {
namespace {

constexpr int kCoreAxes = 7;  // they come first
const std::string kSuites = std::string(FLASHGATE_SOURCE_DIR) + "/suites";

/// What a suite that ships enumerates to, made once for all test cases.
const Enumeration& enumerated(const std::string& name)
{
  static std::map<std::string, Enumeration> known;
  const auto found = known.find(name);
  return found != known.end() ? found->second : known.emplace(name, enumerate(load_suite(kSuites, name))).first->second;
}

/// The suite reduced to its parts of one kind.
Suite parts_of(const std::string& name, SelectionKind kind)
{
  Suite suite = load_suite(kSuites, name);
  std::erase_if(suite.selections, [&](const Selection& part) { return part.kind != kind; });
  return suite;
}

std::vector<Row> rows_of(const std::vector<Cell>& cells)
{
  std::vector<Row> rows;
  for (const Cell& cell : cells)
    rows.emplace_back(cell.values.begin(), cell.values.end());
  return rows;
}

/// All axes and constraints as a model, made here anew so that the enumerator's own is judged.
RowModel model_of_all_axes()
{
  RowModel model;
  for (const Axis& a : axes())
    model.levels.push_back(static_cast<int>(a.values.size()));
  for (const Constraint& constraint : constraints()) {
    std::vector<int> factors;
    for (const AxisId id : constraint.reads)
      factors.push_back(static_cast<int>(id));
    model.rules.push_back({factors, [&constraint](const Row& row) {
                             Cell cell;
                             for (std::size_t i = 0; i < row.size(); ++i)
                               cell.values[i] = static_cast<std::uint8_t>(std::max(0, row[i]));
                             return constraint.allows(cell);
                           }});
  }
  return model;
}

/// The core axes where another axis `id` has `value` and that isn't the default, everything else at its default.
RowModel model_of_core_with(AxisId id, int value)
{
  RowModel model;
  std::vector<int> all;
  for (const Axis& a : axes())
    if (a.core) {
      model.levels.push_back(static_cast<int>(a.values.size()));
      all.push_back(static_cast<int>(all.size()));
    }
  model.rules.push_back({all, [=](const Row& row) {
                           Cell cell = default_cell(row[0]);
                           std::ranges::copy(row, cell.values.begin());
                           const bool differs = cell[id] != value;
                           cell[id] = static_cast<std::uint8_t>(value);
                           return differs && excluded_by(cell).empty();
                         }});
  return model;
}

/// The core values of the cells where `id` has `value` and every other axis is at its default.
std::vector<Row> core_rows_with(AxisId id, int value, const std::vector<Cell>& cells)
{
  std::array<bool, kAxisCount> kept{};
  for (const Axis& a : axes())
    kept[static_cast<std::size_t>(a.id)] = a.core || a.id == id;
  std::vector<Row> rows;
  for (const Cell& cell : cells) {
    Cell plain = cell;
    for (int i = 0; i < kAxisCount; ++i)
      if (!kept[i]) plain.values[i] = 0;
    fill_defaults(plain, kept);
    if (plain == cell && cell[id] == value) rows.emplace_back(cell.values.begin(), cell.values.begin() + kCoreAxes);
  }
  return rows;
}

std::int64_t uncovered_core_tuples(AxisId id, int value, int strength, const std::vector<Cell>& cells)
{
  return count_coverage(model_of_core_with(id, value), strength, core_rows_with(id, value, cells)).uncovered;
}

Selection product_of(std::vector<AxisValues> axes)
{
  return {SelectionKind::product, std::move(axes), 2, {}, "s.toml:1"};
}

std::string message_of(const Suite& suite)
{
  try {
    enumerate(suite);
  } catch (const Error& e) {
    return e.what();
  }
  return "";
}

}  // namespace

TEST_CASE("the suites have the sizes they are meant to have")
{
  for (const std::string& name : suite_names(kSuites)) {
    const Enumeration& all = enumerated(name);
    MESSAGE(name << ": " << all.cells.size() << " cells, " << all.merged << " merged");
    CHECK(std::set<Cell>(all.cells.begin(), all.cells.end()).size() == all.cells.size());
    CHECK(std::ranges::all_of(all.cells, [](const Cell& cell) { return excluded_by(cell).empty(); }));
  }
  CHECK(enumerated("tiny").cells.size() >= 24);
  CHECK(enumerated("tiny").cells.size() <= 96);
  CHECK(enumerated("smoke").cells.size() <= 150);
  CHECK(enumerated("dispatch").cells.size() > 21000);
  CHECK(enumerated("default").cells == enumerated("dispatch").cells);
  CHECK(enumerated("nightly").cells.size() > enumerated("dispatch").cells.size());
}

TEST_CASE("the core is exhaustive: every combination is selected or excluded with a reason")
{
  const Enumeration core = enumerate(parts_of("dispatch", SelectionKind::product));
  std::int64_t excluded = 0;
  for (const auto& [reason, count] : core.excluded_by_reason)
    excluded += count;
  CHECK(static_cast<std::int64_t>(core.cells.size()) == 5 * 5 * 5 * 2 * 2 * 14 * 3 - excluded);
  CHECK(excluded == 0);  // the defaults of each path are such that every core cell has a meaning
}

TEST_CASE("every possible pair of values is in smoke and dispatch, every possible triple in nightly")
{
  RowModel pinned = model_of_all_axes();
  pinned.levels[static_cast<std::size_t>(AxisId::cute_gradients)] = 1;
  for (const char* name : {"smoke", "dispatch"}) {
    const std::vector<Row> rows = rows_of(enumerate(parts_of(name, SelectionKind::array)).cells);
    const CoverageCount pairs = count_coverage(pinned, 2, rows);
    CHECK(pairs.uncovered == 0);
    CHECK(pairs.bad_rows == 0);
    CHECK(pairs.impossible > 0);
  }
  const CoverageCount triples =
      count_coverage(model_of_all_axes(), 3, rows_of(enumerate(parts_of("nightly", SelectionKind::array)).cells));
  CHECK(triples.uncovered == 0);
  CHECK(triples.bad_rows == 0);
}

TEST_CASE("each other value meets every possible pair of core values in dispatch")
{
  for (const Axis& a : axes()) {
    if (a.core || a.id == AxisId::cute_gradients) continue;
    for (int value = 0; value < static_cast<int>(a.values.size()); ++value) {
      CAPTURE(a.name);
      CAPTURE(a.values[value].text);
      CHECK(uncovered_core_tuples(a.id, value, 2, enumerated("dispatch").cells) == 0);
    }
  }
}

TEST_CASE("other values meet every possible triple of core values in nightly")
{
  CHECK(uncovered_core_tuples(AxisId::cute_gradients, 1, 3, enumerated("nightly").cells) == 0);
  CHECK(uncovered_core_tuples(AxisId::rank_skew, 1, 3, enumerated("nightly").cells) == 0);
  CHECK(uncovered_core_tuples(AxisId::flip, 3, 3, enumerated("nightly").cells) == 0);
  CHECK(uncovered_core_tuples(AxisId::cute_gradients, 1, 2, enumerated("dispatch").cells) > 0);  // nightly only
}

TEST_CASE("two enumerations of a suite are equal")
{
  const Enumeration& first = enumerated("dispatch");
  const Enumeration second = enumerate(load_suite(kSuites, "dispatch"));
  CHECK(first.cells == second.cells);
  CHECK(first.impossible_tuples_by_reason == second.impossible_tuples_by_reason);
}

TEST_CASE("excluded cells of a product are counted by their reason")
{
  Suite suite;
  suite.selections = {product_of({{AxisId::path, {0, 2}}, {AxisId::cp_size, {0, 1, 2, 3}}})};
  const Enumeration result = enumerate(suite);
  CHECK(result.cells.size() == 5);
  CHECK(result.excluded_by_reason ==
        std::map<std::string, std::int64_t>{{"only the cp paths have more than one rank", 3}});
}

TEST_CASE("tuples that no allowed cell has are counted by the constraint that forbids them")
{
  Suite suite;
  suite.selections = {product_of({{AxisId::path, {0, 2}}, {AxisId::cp_size, {0, 1}}, {AxisId::rank_skew, {0, 1}}})};
  suite.selections[0].kind = SelectionKind::array;
  const Enumeration result = enumerate(suite);
  CHECK(result.cells.size() == 4);
  CHECK(result.excluded_by_reason.empty());
  const std::map<std::string, std::int64_t> expected{
      {"only the cp paths have more than one rank", 1},          // rr with two ranks
      {"ranks can differ only where there are two or more", 1},  // one rank, skewed
      {"several constraints together", 1}};                      // rr, skewed
  CHECK(result.impossible_tuples_by_reason == expected);
}

TEST_CASE("a cell that a later part selects again is merged, one that a part selects twice is an error")
{
  Suite suite;
  suite.selections = {product_of({{AxisId::path, {0, 2}}}), product_of({{AxisId::path, {2, 3}}})};
  const Enumeration merged = enumerate(suite);
  CHECK(merged.cells.size() == 3);
  CHECK(merged.merged == 1);

  suite.selections = {product_of({{AxisId::path, {0, 2, 0}}})};
  CHECK(message_of(suite) == "s.toml:1: cell 'rr_flashmask' selected twice by one part, expected once");
  suite.selections[0] = {SelectionKind::cells, {}, 2, {default_cell(1), default_cell(1)}, "s.toml:1"};
  CHECK(message_of(suite) == "s.toml:1: cell 'rr_flash' selected twice by one part, expected once");
}

TEST_CASE("a strength above the number of varied axes is refused")
{
  Suite suite;
  suite.selections = {product_of({{AxisId::path, {0, 2}}, {AxisId::device, {0}}})};
  suite.selections[0].kind = SelectionKind::array;
  CHECK(message_of(suite).starts_with("s.toml:1: strength 2 over 1 axes"));
}

TEST_CASE("a pinned axis has that value in every cell of every part")
{
  Suite suite = load_suite(kSuites, "dispatch");
  suite.pinned.push_back({AxisId::device, {2}});
  const Enumeration result = enumerate(suite);
  CHECK(result.cells.size() > 21000 / 5);
  CHECK(std::ranges::all_of(result.cells, [](const Cell& cell) { return cell[AxisId::device] == 2; }));
}

TEST_CASE("a filter keeps what it includes and does not exclude")
{
  const std::vector<Cell>& cells = enumerated("tiny").cells;
  for (const Cell& cell : filter_cells(cells, {"^cp_", "head_dim"})) {
    CHECK(cell_name(cell).starts_with("cp_"));
    CHECK(cell_name(cell).find("head_dim") == std::string::npos);
  }
  CHECK_FALSE(filter_cells(cells, {"^cp_", "head_dim"}).empty());
  CHECK(filter_cells(cells, {}) == cells);
  CHECK(filter_cells(cells, {"no such cell", ""}).empty());
  CHECK_THROWS_WITH_AS(filter_cells(cells, {"[", ""}), doctest::Contains("expected a regular expression"), Error);
  CHECK_THROWS_AS(filter_cells(cells, {"", "("}), Error);
}

TEST_CASE("shards part the cells, and a filter moves none to another shard")
{
  const std::vector<Cell>& cells = enumerated("smoke").cells;
  const auto shard_of = [](const std::string& include, int index) {
    RunOptions options;
    options.suites_folder = kSuites;
    options.suite = "smoke";
    options.include = include;
    options.shard = std::to_string(index) + "/3";
    return select(options).cells;
  };
  std::vector<Cell> together;
  for (int index = 1; index <= 3; ++index) {
    const std::vector<Cell> shard = shard_of("", index);
    CHECK(shard.size() > cells.size() / 6);
    std::ranges::copy(shard, std::back_inserter(together));
    std::vector<Cell> of_shard;
    std::ranges::copy_if(shard, std::back_inserter(of_shard),
                         [](const Cell& cell) { return cell_name(cell).starts_with("cp_"); });
    CHECK(shard_of("^cp_", index) == of_shard);
  }
  CHECK(std::set<Cell>(together.begin(), together.end()) == std::set<Cell>(cells.begin(), cells.end()));
  CHECK(together.size() == cells.size());
}

TEST_CASE("a shard is written I/N")
{
  CHECK(parse_shard("2/3").index == 2);
  CHECK(parse_shard("2/3").count == 3);
  for (const char* bad : {"", "1", "0/2", "3/2", "-1/2", "1/0", "1/2/3", "a/b", "1/ 2", "1/99999999999"}) {
    CAPTURE(bad);
    CHECK_THROWS_WITH_AS(parse_shard(bad), doctest::Contains("expected I/N with 1 <= I <= N"), Error);
  }
}

}  // namespace flashgate::matrix
