#include "matrix/patch_coverage.h"

#include <doctest/doctest.h>

#include "tests/matrix/store_fixture.h"

namespace flashgate::matrix {
namespace {

CoverageRow line_of(const char* file, int line, std::int64_t hits)
{
  return {1, file, line, hits, hits > 0 ? 1 : 0, hits > 0 ? "rr_flashmask" : ""};
}

}  // namespace

TEST_CASE("only changed lines that can run count, the seed's eleven of which five did not")
{
  std::vector<CoverageRow> executable;
  for (const int line : {60, 61, 62, 65, 66, 69, 70, 75, 76, 77, 79})
    executable.push_back(
        line_of("rr.py", line, line == 61 || line == 69 || line == 70 || line == 75 || line == 79 ? 0 : 2));
  executable.push_back(line_of("rr.py", 59, 0));
  executable.push_back(line_of("rr.py", 80, 0));
  executable.push_back(line_of("other.py", 61, 0));
  const PatchCoverage coverage =
      join_coverage({{"rr.py", {{60, 70}, {75, 79}}}, {"README.md", {{1, 100}}}}, executable);
  REQUIRE(coverage.lines.size() == 11);
  CHECK(coverage.covered() == 6);
  CHECK(coverage.percent() == doctest::Approx(100.0 * 6 / 11));
  CHECK(coverage.lines.front().line == 60);
  CHECK(coverage.lines.front().example_cell == "rr_flashmask");
  CHECK(coverage.lines.back().hits == 0);
}

TEST_CASE("a patch without a line that can run is covered")
{
  CHECK(join_coverage({{"rr.py", {{1, 2}}}}, {line_of("rr.py", 3, 0)}).percent() == 100);
  CHECK(join_coverage({}, {}).lines.empty());
}

TEST_CASE("the store gives back the lines of a subject, with a cell that ran them")
{
  const TempFolder folder;
  write_sample(folder.file("results.db"));
  Store store = Store::open_or_create(folder.file("results.db"));
  store.insert_coverage(1, {2, "b.py", 4, 7, 1, ""});
  store.insert_coverage(1, {2, "a.py", 9, 0, 0, ""});
  const std::vector<CoverageRow> rows = store.coverage(1, 2);
  REQUIRE(rows.size() == 2);
  CHECK(rows[0].file == "a.py");
  CHECK(rows[0].hits == 0);
  CHECK(rows[0].example_name.empty());
  CHECK(rows[1].line == 4);
  CHECK(rows[1].hits == 7);
  CHECK(rows[1].example_name == "rr_flashmask");
}

}  // namespace flashgate::matrix
