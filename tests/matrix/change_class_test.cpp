#include "matrix/change_class.h"

#include <algorithm>

#include <doctest/doctest.h>

#include "matrix/side_reader.h"
#include "tests/matrix/store_fixture.h"

namespace flashgate::matrix {
namespace {

using sim::Phase;
using sim::Symbol;

/// Sides of the sample database: every built-in model on eight cells.
class SampleSides
{
 public:
  SampleSides()
  {
    write_sample(folder_.file("results.db"));
    store_.emplace(Store::open_read_only(folder_.file("results.db")));
  }

  Side side(const std::string& subject)
  {
    for (const SubjectRecord& record : store_->subjects(1))
      if (record.name == subject) return read_side(*store_, 1, record);
    FAIL("no subject " << subject);
    return {};
  }

 private:
  TempFolder folder_;
  std::optional<Store> store_;
};

const ChangeClass* find_class(const SideComparison& comparison, ChangeKind kind, const std::string& check)
{
  for (const ChangeClass& change : comparison.classes)
    if (change.kind == kind && change.check_id == check) return &change;
  return nullptr;
}

std::int64_t count(const SideComparison& comparison, ChangeKind kind)
{
  return comparison.cells[static_cast<std::size_t>(kind)];
}

/// Two cells with a rule of head dim, on both sides.
Side small_side(const std::vector<std::string>& cells, bool fails, bool expected = false)
{
  Side side;
  side.subject = "model:small";
  for (const std::string& name : cells) {
    CellResult& result = side.cells[parse_cell(name)];
    result.route = result.end = "v3 / v3";
    result.traces = {fails ? 1 : 2};
    if (fails) result.failures = {{"I4", Verdict::fail, expected, "wrong"}};
  }
  side.traces[1] = {{Phase::forward, Symbol("version == 3  [a.py:69]"), Symbol("no")}};
  side.traces[2] = {{Phase::forward, Symbol("deterministic  [a.py:61]"), Symbol("yes")}};
  return side;
}

}  // namespace

TEST_CASE("from C to D both seed bugs are regressions, and the deciding condition is the rule's new guard")
{
  SampleSides sample;
  const SideComparison found = compare_sides(sample.side("model:fleet-c"), sample.side("model:fleet-d"));
  for (const char* check : {"I4", "I3"}) {
    CAPTURE(check);
    const ChangeClass* change = find_class(found, ChangeKind::regression, check);
    REQUIRE(change != nullptr);
    CHECK(change->fails());
    REQUIRE_FALSE(change->partings.empty());
    CHECK(change->partings[0].parting.head.text == "Fleet: version is 3");
    CHECK(change->partings[0].parting.head.outcome == "no");
    CHECK_FALSE(change->difference.empty());
  }
  CHECK(find_class(found, ChangeKind::regression, "I3")->example_cell ==
        "cp_flashmask/flag_version=4,v4_import=no,deterministic=on,signature=legacy");
}

TEST_CASE("from D to the clean control everything is fixed and nothing is lost")
{
  SampleSides sample;
  const SideComparison found = compare_sides(sample.side("model:fleet-d"), sample.side("model:effective-first"));
  CHECK(find_class(found, ChangeKind::fix, "I4") != nullptr);
  CHECK(find_class(found, ChangeKind::fix, "I3") != nullptr);
  CHECK(std::none_of(found.classes.begin(), found.classes.end(), [](const ChangeClass& c) { return c.fails(); }));
}

TEST_CASE("a subject against itself is unchanged but for what failed before")
{
  SampleSides sample;
  const Side d = sample.side("model:fleet-d");
  const SideComparison found = compare_sides(d, d);
  for (const ChangeClass& change : found.classes)
    CHECK(change.kind == ChangeKind::unchanged_failure);
  CHECK(count(found, ChangeKind::unchanged) + count(found, ChangeKind::unchanged_failure) ==
        static_cast<std::int64_t>(d.cells.size()));
  CHECK(compare_parity(d, d).classes.empty());
}

TEST_CASE("a pick that is not its dev is told cell by cell")
{
  SampleSides sample;
  const SideComparison found = compare_parity(sample.side("model:fleet-d"), sample.side("model:fleet-c"));
  CHECK(count(found, ChangeKind::parity) > 0);
  for (const ChangeClass& change : found.classes) {
    CHECK(change.kind == ChangeKind::parity);
    CHECK(change.fails());
  }
}

TEST_CASE("a class is named by what its cells have in common and the others have not")
{
  Side base = small_side({"rr_flashmask", "rr_flashmask/head_dim=192", "rr_flashmask/head_dim=256"}, false);
  Side head = base;
  for (const char* name : {"rr_flashmask/head_dim=192", "rr_flashmask/head_dim=256"}) {
    head.cells[parse_cell(name)].failures = {{"I4", Verdict::fail, false, "wrong"}};
    head.cells[parse_cell(name)].traces = {1};
  }
  const SideComparison found = compare_sides(base, head);
  REQUIRE(found.classes.size() == 1);
  CHECK(found.classes[0].cells == 2);
  CHECK(found.classes[0].condition.find("head_dim") != std::string::npos);
  CHECK(found.classes[0].partings[0].cells == 2);
}

TEST_CASE("the place of the deciding line is the head's")
{
  const std::vector<std::string> cells{"rr_flashmask"};
  Side head = small_side(cells, true);
  const SideComparison found = compare_sides(small_side(cells, false), head);
  REQUIRE(found.classes.size() == 1);
  CHECK(found.classes[0].partings[0].parting.place().text() == "a.py:69");
  CHECK(found.classes[0].partings[0].parting.base.place.text() == "a.py:61");
}

TEST_CASE("a regression that is expected fails no gate")
{
  const std::vector<std::string> cells{"rr_flashmask", "cp_flashmask"};
  const SideComparison found = compare_sides(small_side(cells, false), small_side(cells, true, true));
  REQUIRE(found.classes.size() == 1);
  CHECK(found.classes[0].unexpected == 0);
  CHECK_FALSE(found.classes[0].fails());
  CHECK(count(found, ChangeKind::regression) == 2);
  CHECK(found.unexpected[static_cast<std::size_t>(ChangeKind::regression)] == 0);
}

TEST_CASE("a cell that head lacks is a regression, one that base lacks is for the caller to refuse")
{
  const Side both = small_side({"rr_flashmask", "cp_flashmask"}, false);
  const Side one = small_side({"rr_flashmask"}, false);
  const SideComparison found = compare_sides(both, one);
  REQUIRE(found.classes.size() == 1);
  CHECK(found.classes[0].verdict == Verdict::missing);
  CHECK(found.classes[0].fails());
  CHECK(lacking_cells(one, both).cells == 1);
  CHECK(lacking_cells(one, both).example == "cp_flashmask");
  CHECK(lacking_cells(both, one).cells == 0);
}

TEST_CASE("the rank that decides otherwise is the one that is shown")
{
  Side base = small_side({"cp_flashmask"}, false);
  Side head = small_side({"cp_flashmask"}, true);
  base.cells.begin()->second.traces = {2, 2};
  head.cells.begin()->second.traces = {2, 1};
  const SideComparison found = compare_sides(base, head);
  CHECK(found.classes[0].partings[0].parting.head.text == "version == 3");
}

TEST_CASE("a route says versions, operators, argument counts and the phase of the error, not its words")
{
  sim::RankPlan plan;
  plan.forward = {3, Symbol("flashmask_attention_v2"), 7};
  plan.handed_version = 3;
  plan.backward = {3, Symbol("flashmask_attention_v2_grad"), 10};
  CHECK(route_text(plan) == "forward v3 flashmask_attention_v2(7), backward v3 flashmask_attention_v2_grad(10)");
  CHECK(route_end(plan) == "v3 / v3");
  plan.backward = {};
  plan.handed_version = 4;
  plan.fail(Phase::backward, Symbol("ValueError"), Symbol("bad\nversion"));
  CHECK(route_text(plan) == "forward v3 flashmask_attention_v2(7), hands 4 on, fails in bwd");
  CHECK(route_end(plan) == "bwd ValueError");
}

}  // namespace flashgate::matrix
