#include "reports/run_changes.h"

#include <doctest/doctest.h>

#include "example_matrix.h"
#include "reports/gate.h"
#include "reports/report.h"
#include "tests/matrix/store_fixture.h"

namespace flashgate::reports {
namespace {

TEST_CASE("rows that changed in the same way are one group, what got worse first")
{
  const matrix::StoredMatrix matrix = tests::example_matrix();
  CHECK(find_changes(matrix, {}).older_run.empty());
  const RunChanges none = find_changes(matrix, {{"default-0", "", "", {}, {}}});
  CHECK(none.older_run == "default-0");
  CHECK(none.groups.empty());
  const RunChanges some = find_changes(matrix, {{"default-0", "", "", {0, 1, 3, 4}, {5, 0, 5, -1}}});
  REQUIRE(some.groups.size() == 4);
  CHECK(some.groups[0].is_worse());
  CHECK(some.groups[0].subject == "model:fleet-d");
  CHECK(some.groups[0].check_id == "I4");
  CHECK(some.groups[0].example_cell == "rr_flashmask/flag_version=4,head_dim=192");
  for (std::size_t i = 1; i < 4; ++i)
    CHECK(!some.groups[i].is_worse());
  CHECK(some.worse == 1);
  CHECK(some.better == 2);
  CHECK(some.fresh == 1);
}

TEST_CASE("a way to change is named by what its rows have in common, and no other row of the subject")
{
  matrix::StoredMatrix matrix = tests::example_matrix();
  const RunChanges one = find_changes(matrix, {{"default-0", "", "", {1}, {0}}});
  REQUIRE(one.groups.size() == 1);
  CHECK(one.groups[0].condition == "flag_version=4");
  const RunChanges all = find_changes(matrix, {{"default-0", "", "", {3, 4, 5}, {8, 8, 8}}});
  for (const ChangedRows& group : all.groups)
    CHECK(group.condition != "");
  for (std::string& value : matrix.axes[0].values)
    value.clear();
  matrix.cell_names = {"tests/test_a.py::test_one", "tests/test_a.py::test_two", "c"};
  const RunChanges tests = find_changes(matrix, {{"default-0", "", "", {1}, {0}}});
  REQUIRE(tests.groups.size() == 1);
  CHECK_FALSE(tests.groups[0].condition);
}

TEST_CASE("of more ways to change than a page shows the rest is counted")
{
  matrix::StoredMatrix matrix = tests::example_matrix();
  OlderRun older{"default-0", "", "", {}, {}};
  for (std::size_t i = 0; i < kMostChanges + 7; ++i) {
    matrix.subjects.push_back({static_cast<std::int64_t>(i) + 10, "subject " + std::to_string(i), ""});
    older.rows.push_back(static_cast<int>(matrix.rows.size()));
    older.verdicts.push_back(-1);
    matrix.rows.push_back({static_cast<int>(i) + 2, 0, matrix::Verdict::pass, 0, 1, 0, 0});
  }
  const RunChanges changes = find_changes(matrix, {older});
  CHECK(changes.groups.size() == kMostChanges);
  CHECK(changes.left_out == 7);
  CHECK(changes.fresh == kMostChanges + 7);
}

TEST_CASE("changes of a stored run say where its decisions part from the older run's")
{
  const matrix::TempFolder folder;
  matrix::write_sample(folder.file("results.db"));
  matrix::Store store = matrix::Store::open_read_only(folder.file("results.db"));
  const matrix::RunRecord run = store.last_run("default").value();
  const std::vector<HistorySource> older = older_runs(store, run);
  REQUIRE(older.size() == 1);
  const matrix::StoredMatrix matrix = store.matrix(run.id);
  RunChanges changes = find_changes(matrix, cell_history(matrix, older));
  add_deciding(changes, {&store, run, ""}, older.front());
  REQUIRE_FALSE(changes.groups.empty());
  for (const ChangedRows& group : changes.groups) {
    CAPTURE(group.example_cell);
    CHECK(group.subject == "model:fleet-d");  // the only one that the sample changes
    REQUIRE(group.deciding);
    CHECK_FALSE(group.deciding->same);
  }
  CHECK(deciding_text(*changes.groups.front().deciding, "before") ==
        "fwd 'Fleet: block_mask signature, deterministic, head_dim > 128' → yes, where before has "
        "fwd 'Fleet: version is 3' → no");
}

TEST_CASE("a run without plans of a cell has no decisions of it")
{
  const matrix::TempFolder folder;
  matrix::write_sample(folder.file("results.db"));
  matrix::Store store = matrix::Store::open_read_only(folder.file("results.db"));
  CHECK(store.rank_traces(1, "model:fleet-d", "no such cell").empty());
  CHECK(store.rank_traces(1, "no such subject", "rr_flashmask").empty());
  CHECK(store.rank_traces(77, "model:fleet-d", "rr_flashmask").empty());
  CHECK_FALSE(store.rank_traces(1, "model:fleet-d", "rr_flashmask").empty());
}

}  // namespace
}  // namespace flashgate::reports
