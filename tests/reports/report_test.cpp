#include "reports/report.h"

#include <fstream>
#include <ostream>

#include <doctest/doctest.h>
#include <unistd.h>

#include "example_run.h"
#include "matrix/checks.h"
#include "matrix/subjects.h"
#include "reference/error.h"
#include "reports/whole_file.h"
#include "tests/temporary_folder.h"

namespace flashgate::reports {
namespace {

namespace fs = std::filesystem;

/// A database with one finished run: two subjects, two cells.
class StoredRun
{
 public:
  explicit StoredRun(const fs::path& database) : store_(matrix::Store::open_or_create(database.string()))
  {
    run_.suite = "tiny";
    run_.started = "2026-01-02T03:04:05Z";
    run_.selected = 4;
    store_.begin();
    store_.insert_run(run_);
    store_.insert_excluded(run_.id, {{"no mask columns without a mask", 3}});
    const std::vector<matrix::Cell> cells{
        matrix::parse_cell("rr_flashmask/flag_version=4,v4_import=no,deterministic=on,head_dim=192"),
        matrix::parse_cell("rr_flashmask")};
    const std::vector<std::int64_t> ids = store_.intern_cells(cells);
    for (const char* name : {"model:fleet-d", "model:effective-first"})
      judge_all(name, cells, ids);
    store_.commit();
    store_.finish_run(run_.id, "2026-01-02T03:04:09Z", 1);
    run_ = *store_.find_run("");
  }

  matrix::Store& store() { return store_; }
  const matrix::RunRecord& run() const { return run_; }

 private:
  void judge_all(const std::string& name, const std::vector<matrix::Cell>& cells, const std::vector<std::int64_t>& ids)
  {
    const matrix::SubjectPtr subject = matrix::find_subject(name);
    const std::int64_t subject_id = store_.intern_subject(name, subject->description());
    for (std::size_t i = 0; i < cells.size(); ++i) {
      const sim::Request request = matrix::to_request(cells[i]);
      sim::CellPlan plan;
      matrix::Judgement judgement;
      subject->plan(request, true, plan);
      matrix::judge(request, plan, judgement);
      store_.insert_plan(run_.id, subject_id, ids[i], plan, judgement.passed, judgement.worst());
      for (const auto& [check, finding] : judgement.findings)
        store_.insert_verdict(run_.id, {subject_id, ids[i], std::string(matrix::checks()[check].id), finding.verdict,
                                        matrix::Outcome::as_is, finding.text()});
    }
  }

  matrix::Store store_;
  matrix::RunRecord run_;
};

bool contains(const std::string& text, std::string_view part) { return text.find(part) != std::string::npos; }

std::string error_of(const std::function<void()>& action)
{
  try {
    action();
  } catch (const Error& error) {
    return error.what();
  }
  return {};
}

}  // namespace

TEST_CASE("the summary of a stored run counts passes and failures")
{
  const tests::TemporaryFolder folder;
  StoredRun stored(folder.path() / "results.db");
  const RunSummary summary = load_summary(stored.store(), stored.run());
  REQUIRE(summary.subjects.size() == 2);
  const SubjectSummary& fleet = summary.subjects[0].name == "model:fleet-d" ? summary.subjects[0] : summary.subjects[1];
  REQUIRE(!fleet.classes.empty());
  CHECK(fleet.classes[0].check_id == "I4");
  CHECK(summary.totals().failed > 0);
  CHECK(summary.totals().passed > 0);
  CHECK(summary.excluded.size() == 1);
  CHECK(summary.state() == RunState::failed);
}

TEST_CASE("a report is written whole, twice the same, with nothing left over")
{
  const tests::TemporaryFolder folder;
  StoredRun stored(folder.path() / "results.db");
  for (const std::string& note : write_report(stored.store(), stored.run(), folder.path()))
    MESSAGE(note);
  const std::string page = tests::read_file(folder.path() / "index.html");
  CHECK(contains(page, "FAILED: "));
  CHECK(contains(page, "href=\"results.db\""));
  for (const char* name : {"summary.md", "junit.xml", "failures.csv", "graphs/model-fleet-d.dot"})
    CHECK(fs::file_size(folder.path() / name) > 0);
  CHECK(contains(tests::read_file(folder.path() / "failures.csv"), "model:fleet-d"));
  write_report(stored.store(), stored.run(), folder.path());
  CHECK(tests::read_file(folder.path() / "index.html") == page);
  for (const auto& entry : fs::recursive_directory_iterator(folder.path()))
    CHECK(entry.path().extension() != ".part");
}

TEST_CASE("a graph that can't be drawn is told, and its DOT text is there")
{
  const tests::TemporaryFolder folder;
  StoredRun stored(folder.path() / "results.db");
  fs::create_directories(folder.path() / "site" / "graphs");
  std::ofstream(folder.path() / "site" / "graphs" / "model-fleet-d.svg") << "of an earlier run";
  const std::string before = std::getenv("PATH");
  setenv("PATH", "/nowhere", 1);
  const std::vector<std::string> notes = write_report(stored.store(), stored.run(), folder.path() / "site");
  setenv("PATH", before.c_str(), 1);
  REQUIRE(notes.size() == 2);
  CHECK(contains(notes[0] + notes[1], "graph of model:fleet-d not drawn: dot: "));
  CHECK(fs::exists(folder.path() / "site" / "graphs" / "model-fleet-d.dot"));
  CHECK(!fs::exists(folder.path() / "site" / "graphs" / "model-fleet-d.svg"));
  CHECK(contains(tests::read_file(folder.path() / "site" / "index.html"), "not drawn."));
}

TEST_CASE("an output that can't be written is an error that names it")
{
  const tests::TemporaryFolder folder;
  StoredRun stored(folder.path() / "results.db");
  std::ofstream(folder.path() / "file") << "x";
  const std::string message =
      error_of([&] { write_report(stored.store(), stored.run(), folder.path() / "file" / "site"); });
  CHECK(contains(message, "cannot write"));
  CHECK(contains(message, (folder.path() / "file").string()));
  fs::create_directories(folder.path() / "site" / "index.html" / "in the way");
  CHECK(contains(error_of([&] { write_report(stored.store(), stored.run(), folder.path() / "site"); }), "index.html"));
}

TEST_CASE("a file is replaced as a whole or not at all")
{
  const tests::TemporaryFolder folder;
  const fs::path path = folder.path() / "page";
  write_whole_file(path, "old");
  CHECK_THROWS_AS(write_whole_file(path,
                                   [](std::ostream& out) {
                                     out << "half";
                                     throw Error("the source broke");
                                   }),
                  Error);
  CHECK(tests::read_file(path) == "old");
  CHECK(!fs::exists(folder.path() / "page.part"));
  write_whole_file(path, "new");
  CHECK(tests::read_file(path) == "new");
}

TEST_CASE("a full disk is an error that names the file, and the old file stays")
{
  if (!fs::is_character_file("/dev/full")) return;
  const tests::TemporaryFolder folder;
  const fs::path path = folder.path() / "page";
  write_whole_file(path, "old");
  fs::create_symlink("/dev/full", folder.path() / "page.part");
  const std::string message = error_of([&] { write_whole_file(path, std::string(100000, 'x')); });
  CHECK(contains(message, path.string() + ": No space left on device"));
  CHECK(tests::read_file(path) == "old");
}

}  // namespace flashgate::reports
