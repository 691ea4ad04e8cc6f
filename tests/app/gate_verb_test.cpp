#include <algorithm>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include <doctest/doctest.h>

#include "matrix/store.h"
#include "tests/app/run_program.h"
#include "tests/temporary_folder.h"

namespace flashgate {
namespace {

using tests::ProgramResult;
using tests::run_program;

bool contains(const std::string& text, std::string_view part) { return text.find(part) != std::string::npos; }

std::string first_line(const std::string& text) { return text.substr(0, text.find('\n')); }

/// Runs `gate` on suite tiny, in a folder of the test's own.
ProgramResult gate(const tests::TemporaryFolder& folder, std::vector<std::string> arguments)
{
  arguments.insert(arguments.begin(), "gate");
  return run_program(arguments, folder.path().string());
}

nlohmann::json gate_json(const tests::TemporaryFolder& folder)
{
  std::ifstream file(folder.path() / "out" / "gate" / "gate.json");
  return nlohmann::json::parse(file);
}

/// Runs suite tiny on a subject into the file of that name.
void run_tiny(const tests::TemporaryFolder& folder, const std::string& subject, const std::string& database,
              std::vector<std::string> more = {})
{
  std::vector<std::string> arguments{"run", "--suite", "tiny", "--subject", subject, "--db", folder.file(database)};
  arguments.insert(arguments.end(), more.begin(), more.end());
  REQUIRE(run_program(arguments).exit_code <= 2);
}

void write_empty_run(const std::string& file)
{
  matrix::Store store = matrix::Store::open_or_create(file);
  matrix::RunRecord run;
  run.suite = "tiny";
  store.insert_run(run);
  store.finish_run(run.id, "2026-01-01T00:00:00Z", 0);
}

}  // namespace

TEST_CASE("from C to D a gate fails by both seed bugs, and says with what it compared")
{
  const tests::TemporaryFolder folder;
  const ProgramResult result =
      gate(folder, {"--base", "model:fleet-c", "--head", "model:fleet-d", "--suite", "tiny", "--no-expectations"});
  CAPTURE(result.output);
  CAPTURE(result.errors);
  CHECK(result.exit_code == 1);
  for (const char* part : {"FAILED: ", "against base model:fleet-c (flashgate ", "suite tiny", "run tiny-1", " cells)"})
    CHECK_MESSAGE(contains(first_line(result.output), part), part);
  for (const char* part : {"regression I4", "regression I3", "Fleet: version is 3"})
    CHECK_MESSAGE(contains(result.output, part), part);
  for (const char* name :
       {"results.db", "gate.txt", "comment.md", "junit.xml", "results.sarif", "gate.json", "annotations.txt"})
    CHECK_MESSAGE(std::filesystem::exists(folder.path() / "out" / "gate" / name), name);
}

TEST_CASE("expected failures fail no gate, but support that is lost does")
{
  const tests::TemporaryFolder folder;
  const std::vector<std::string> sides{"--base", "model:fleet-c", "--head", "model:fleet-d", "--suite", "tiny"};
  const ProgramResult all = gate(folder, sides);
  CHECK(all.exit_code == 1);
  CHECK(first_line(all.output).starts_with("FAILED: 1 cell lost support; "));
  std::vector<std::string> without = sides;
  without.insert(without.end(), {"--exclude", "device=sm100"});
  const ProgramResult rest = gate(folder, without);
  CAPTURE(rest.output);
  CHECK(rest.exit_code == 0);
  CHECK(gate_json(folder)["cells"]["regression"] > 0);
}

TEST_CASE("from D to the clean control everything is fixed and nothing is lost; D against itself changes nothing")
{
  const tests::TemporaryFolder folder;
  CHECK(gate(folder,
             {"--base", "model:fleet-d", "--head", "model:effective-first", "--suite", "tiny", "--no-expectations"})
            .exit_code == 0);
  CHECK(gate_json(folder)["cells"]["fix"] > 0);
  CHECK(gate_json(folder)["cells"]["support_lost"] == 0);
  CHECK(gate(folder, {"--base", "model:fleet-d", "--head", "model:fleet-d", "--suite", "tiny"}).exit_code == 0);
  CHECK(gate_json(folder)["cells"]["route_changed"] == 0);
}

TEST_CASE("a pick must behave as dev on every cell")
{
  const tests::TemporaryFolder folder;
  const std::vector<std::string> pick{"--base", "model:fleet-d", "--head", "model:fleet-c", "--suite", "tiny"};
  const auto with_dev = [&](const char* dev) {
    std::vector<std::string> arguments = pick;
    arguments.insert(arguments.end(), {"--dev", dev});
    return gate(folder, arguments);
  };
  CHECK(with_dev("model:fleet-c").exit_code == gate(folder, pick).exit_code);
  const ProgramResult unlike = with_dev("model:fleet-d");
  CHECK(unlike.exit_code == 1);
  CHECK(contains(unlike.output, "unlike dev"));
}

TEST_CASE("databases, their runs, the last run and subjects can be compared with each other")
{
  const tests::TemporaryFolder folder;
  run_tiny(folder, "model:fleet-c", "c.db");
  run_tiny(folder, "model:fleet-d", "d.db");
  run_tiny(folder, "model:fleet-c", "out/tiny/results.db", {"--output", folder.file("out/tiny")});
  const std::vector<std::pair<std::string, std::string>> sides{{folder.file("c.db"), folder.file("d.db")},
                                                               {folder.file("c.db#tiny-1"), "model:fleet-d"},
                                                               {"model:fleet-c", folder.file("d.db#1")},
                                                               {"last", folder.file("d.db")}};
  for (const auto& [base, head] : sides) {
    const ProgramResult result = gate(folder, {"--base", base, "--head", head});
    CAPTURE(base);
    CAPTURE(head);
    CAPTURE(result.errors);
    CHECK(result.exit_code == 1);
    CHECK(first_line(result.output).starts_with("FAILED: 1 cell lost support; "));  // the rest is expected
    CHECK(contains(first_line(result.output), "suite tiny"));
    CHECK(gate_json(folder)["cells"]["regression"] > 0);
  }
}

TEST_CASE("a base that can't be had is one line and exit 3, never a comparison with nothing")
{
  const tests::TemporaryFolder folder;
  run_tiny(folder, "model:fleet-c", "c.db");
  run_tiny(folder, "model:fleet-c", "half.db", {"--deadline", "0.000001"});
  run_tiny(folder, "model:fleet-c", "some.db", {"--include", "^rr_"});
  matrix::Store::open_or_create(folder.file("empty.db"));
  write_empty_run(folder.file("no-cells.db"));
  std::ofstream(folder.file("text.db")) << "no database\n";
  const struct
  {
    std::string base;
    const char* part;
  } cases[] = {
      {folder.file("nosuch.db"), "nosuch.db"},
      {folder.file("empty.db"), "has no run yet"},
      {folder.file("no-cells.db"), "has no cells"},
      {folder.file("text.db"), "not a SQLite database"},
      {folder.file("c.db#tiny-9"), "has no run tiny-9"},
      {folder.file("half.db"), "half.db"},
      {folder.file("some.db"), "lacks"},
      {"last", "results.db"},
      {"model:nosuch", "is not known"},
      {"words", "expected FILE.db"},
      {folder.path().string(), "expected FILE.db"},
      {folder.path().string() + "@main", folder.path().c_str()},
      {"--upload-pack=touch x@main", ""},
  };
  for (const auto& [base, part] : cases) {
    const ProgramResult result = gate(folder, {"--base=" + base, "--head", "model:fleet-d", "--suite", "tiny"});
    CAPTURE(base);
    CAPTURE(result.output);
    CAPTURE(result.errors);
    CHECK(result.exit_code == 3);
    CHECK(result.output.empty());
    const std::string last_line = result.errors.substr(result.errors.rfind("flashgate: "));
    CHECK(contains(last_line, part));
    CHECK(std::count(last_line.begin(), last_line.end(), '\n') == 1);
  }
}

TEST_CASE("another suite is no base, and neither is one without the head's subject")
{
  const tests::TemporaryFolder folder;
  run_tiny(folder, "model:fleet-c", "c.db");
  run_program({"run", "--suite", "smoke", "--subject", "model:fleet-c", "--db", folder.file("smoke.db"), "--include",
               "^rr_flash/"});
  run_program({"run", "--suite", "tiny", "--subject", "model:fleet-c", "--subject", "model:fleet-a", "--db",
               folder.file("two.db")});
  const ProgramResult suite = gate(folder, {"--base", folder.file("smoke.db"), "--head", folder.file("c.db")});
  CHECK(suite.exit_code == 3);
  CHECK(contains(suite.errors, "of suite tiny, expected smoke"));
  const ProgramResult subject = gate(folder, {"--base", folder.file("two.db"), "--head", "model:fleet-d"});
  CHECK(subject.exit_code == 3);
  CHECK(contains(subject.errors, "has no subject 'model:fleet-d'"));
  const ProgramResult vanished =
      gate(folder, {"--base", folder.file("two.db"), "--head", folder.file("two.db"), "--dev", folder.file("c.db")});
  CHECK(vanished.exit_code == 3);
}

TEST_CASE("head lacks what base has: a regression, never a green")
{
  const tests::TemporaryFolder folder;
  run_tiny(folder, "model:fleet-c", "c.db");
  run_tiny(folder, "model:fleet-c", "some.db", {"--include", "^rr_"});
  const ProgramResult result = gate(folder, {"--base", folder.file("c.db"), "--head", folder.file("some.db")});
  CHECK(result.exit_code == 1);
  CHECK(contains(result.output, "no result at head"));
}

TEST_CASE("each format goes to standard output, or to the file that is named")
{
  const tests::TemporaryFolder folder;
  const std::vector<std::pair<std::string, std::string>> formats{
      {"text", "FAILED: "},          {"markdown", "<!-- flashgate gate -->"}, {"junit", "<?xml"},
      {"sarif", "{\n  \"$schema\""}, {"json", "{\n  \"headline\""},           {"annotations", "::error "}};
  const std::vector<std::string> sides{"--base", "model:fleet-c",     "--head",    "model:fleet-d", "--suite",
                                       "tiny",   "--no-expectations", "--include", "head_dim=192",  "--format"};
  for (const auto& [format, start] : formats) {
    std::vector<std::string> arguments = sides;
    arguments.push_back(format);
    CAPTURE(format);
    const ProgramResult shown = gate(folder, arguments);
    CHECK(shown.output.starts_with(start));
    arguments.insert(arguments.end(), {"-o", folder.file("file")});
    CHECK(gate(folder, arguments).output.empty());
    std::ostringstream text;
    text << std::ifstream(folder.file("file")).rdbuf();
    CHECK(text.str().starts_with(start));
  }
  CHECK(gate(folder, {"--base", "model:fleet-c", "--head", "model:fleet-d", "--format", "pdf"}).exit_code == 3);
}

TEST_CASE("a gate of nothing exits 5, and patch coverage of a model is no coverage")
{
  const tests::TemporaryFolder folder;
  const std::vector<std::string> sides{"--base", "model:fleet-c", "--head", "model:fleet-d", "--suite", "tiny"};
  std::vector<std::string> nothing = sides, coverage = sides;
  nothing.insert(nothing.end(), {"--include", "^nothing$"});
  coverage.insert(coverage.end(), {"--min-patch-coverage", "90"});
  CHECK(gate(folder, nothing).exit_code == 5);
  const ProgramResult result = gate(folder, coverage);
  CHECK(result.exit_code == 3);
  CHECK(contains(result.errors, "--min-patch-coverage"));
}

}  // namespace flashgate
