#include "matrix/failure_class.h"

#include <algorithm>

#include <doctest/doctest.h>

#include "store_fixture.h"

namespace flashgate::matrix {
namespace {

/// The sample's last run, with more failures.
std::vector<FailureClass> classes_with(const std::vector<VerdictRow>& more)
{
  const TempFolder folder;
  write_sample(folder.file("results.db"));
  Store store = Store::open_or_create(folder.file("results.db"));
  const RunRecord run = store.last_run("default").value();
  store.begin();
  for (const VerdictRow& row : more)
    store.insert_verdict(run.id, row);
  store.commit();
  return failure_classes(store, run.id);
}

TEST_CASE("a failed execution is a class of its own, named by its finding, after the checks of plans")
{
  const std::vector<FailureClass> before = classes_with({});
  const std::vector<FailureClass> after =
      classes_with({{1, 1, "numerics", Verdict::fail, Outcome::as_is, "v2/seqlen=65: O: 1.5 x bound"},
                    {1, 2, "numerics", Verdict::fail, Outcome::expected_fail, "v2/seqlen=65: O: 1.5 x bound"},
                    {1, 2, "crash", Verdict::crash, Outcome::as_is, "v3: signal 11"}});
  REQUIRE(after.size() == before.size() + 2);
  const auto found = std::ranges::find(after, "numerics", &FailureClass::check_id);
  REQUIRE(found != after.end());
  CHECK_FALSE(found->is_of_plans);
  CHECK(found->condition.empty());
  CHECK(found->cells == 2);
  CHECK(found->unexpected == 1);
  CHECK(found->detail == "v2/seqlen=65: O: 1.5 x bound");
  CHECK_FALSE(found->example_cell.empty());
  const auto of_first = std::ranges::count(after, found->subject, &FailureClass::subject);
  CHECK(std::ranges::find(after, "crash", &FailureClass::check_id) - after.begin() < of_first);
  CHECK(found - after.begin() == of_first - 1);
}

TEST_CASE("a watched command's failing test is a class named by the test")
{
  const TempFolder folder;
  Store store = Store::open_or_create(folder.file("results.db"));
  RunRecord run = run_of("watch");
  const std::vector<std::int64_t> tests = store.intern_tests({"test_a.py::test_one", "test_a.py::test_two"});
  store.insert_run(run);
  const std::int64_t subject = store.intern_subject("watch:pytest", "pytest");
  store.begin();
  store.insert_verdict(run.id, {subject, tests[0], "watch", Verdict::pass, Outcome::as_is, ""});
  store.insert_verdict(run.id, {subject, tests[1], "watch", Verdict::hang, Outcome::as_is, "silent for 5 s"});
  store.commit();
  const std::vector<FailureClass> classes = failure_classes(store, run.id);
  REQUIRE(classes.size() == 1);
  CHECK(classes[0].example_cell == "test:test_a.py::test_two");
  CHECK_FALSE(classes[0].is_of_plans);
}

}  // namespace
}  // namespace flashgate::matrix
