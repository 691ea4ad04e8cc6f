#include "matrix/failure_cover.h"

#include <algorithm>
#include <set>
#include <string>

#include <doctest/doctest.h>

#include "matrix/enumerator.h"
#include "matrix/suite.h"

namespace flashgate::matrix {
namespace {

const std::vector<Cell>& cells()
{
  static const std::vector<Cell> all =
      enumerate(load_suite(std::string(FLASHGATE_SOURCE_DIR) + "/suites", "dispatch")).cells;
  return all;
}

/// The conditions found when exactly the cells under any of `planted` fail.
std::set<std::string> found(const std::vector<std::string>& planted)
{
  std::vector<Condition> conditions;
  for (const std::string& text : planted)
    conditions.push_back(Condition::parse(text));
  std::vector<Cell> failing, passing;
  for (const Cell& cell : cells()) {
    const bool fails =
        std::any_of(conditions.begin(), conditions.end(), [&](const Condition& c) { return c.matches(cell); });
    (fails ? failing : passing).push_back(cell);
  }
  std::set<std::string> texts;
  std::size_t covered = 0;
  for (const Cover& cover : find_covers(failing, {CellSet(passing)})) {
    texts.insert(cover.condition.text());
    covered += cover.cells.size();
    for (const Cell& cell : passing)
      REQUIRE_FALSE(cover.condition.matches(cell));
  }
  CHECK(covered == failing.size());
  return texts;
}

TEST_CASE("a planted class is found as it was planted")
{
  for (const char* planted :
       {"flag_version=4 v4_available=no deterministic=on head_dim>128", "path=rr_flash", "signature=legacy",
        "device=xpu deterministic=on", "path=cp_flashmask,rr_cp_flashmask flag_version=4 v4_available=yes",
        "flip=flag_3_2", "flag_version=5,0 device!=xpu signature=block_mask,group", "dropout=0.1", "head_dim<=128",
        "path=rr_flashmask device=sm100 head_dim=256/128"}) {
    CAPTURE(planted);
    CHECK(found({planted}) == std::set<std::string>{planted});
  }
}

TEST_CASE("two planted classes are found as two")
{
  const std::vector<std::string> planted{"path=rr_flash flag_version=2", "path=cp_flashmask device=xpu"};
  CHECK(found(planted) == std::set<std::string>(planted.begin(), planted.end()));
}

TEST_CASE("if everything fails, the condition is empty; if nothing fails, there is no class")
{
  const std::vector<Cover> all = find_covers(cells(), {CellSet({})});
  REQUIRE(all.size() == 1);
  CHECK(all[0].condition.text().empty());
  CHECK(find_covers({}, {CellSet(cells())}).empty());
}

TEST_CASE("cells without an answer do not make a class wider than what failed")
{
  const std::vector<Cell> failing{parse_cell("rr_flash/flag_version=4"),
                                  parse_cell("rr_flash/flag_version=4,head_dim=64")};
  const std::vector<Cell> passing{parse_cell("rr_flash"), parse_cell("cp_flashmask/flag_version=4")};
  const std::vector<Cell> unanswered{parse_cell("rr_flash/flag_version=5"),
                                     parse_cell("rr_flash/flag_version=4,head_dim=512")};
  const std::vector<Cover> covers = find_covers(failing, {CellSet(passing), CellSet(unanswered)});
  REQUIRE(covers.size() == 1);
  CHECK(covers[0].condition.text() == "path=rr_flash flag_version=4");
}

TEST_CASE("the same cells give the same classes")
{
  const std::vector<std::string> planted{"flag_version=4 deterministic=on", "device=xpu head_dim>128"};
  CHECK(found(planted) == found(planted));
}

}  // namespace
}  // namespace flashgate::matrix
