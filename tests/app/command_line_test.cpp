#include <algorithm>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include <doctest/doctest.h>

#include "tests/app/run_program.h"
#include "tests/temporary_folder.h"

namespace flashgate {
namespace {

using tests::ProgramResult;
using tests::run_program;

constexpr const char* kSeedBug = "rr_flashmask/flag_version=4,v4_import=no,deterministic=on,head_dim=192";

bool is_one_line(const std::string& text) { return !text.empty() && text.find('\n') == text.size() - 1; }

TEST_CASE("every verb has help with an example")
{
  for (const char* verb : {"run", "list", "explain", "repro", "graph", "report", "gate", "bisect", "doctor", "emulate",
                           "watch", "completion"}) {
    const ProgramResult help = run_program({verb, "--help"});
    CAPTURE(verb);
    CHECK(help.exit_code == 0);
    CHECK(help.output.find("Example:\n  flashgate ") != std::string::npos);
  }
  CHECK(run_program({"--help"}).exit_code == 0);
  CHECK(run_program({"--version"}).exit_code == 0);
}

TEST_CASE("bad usage is one line and exit 3")
{
  const tests::TemporaryFolder folder;
  std::ofstream(folder.file("text.db")) << "this is no database\n";
  const std::vector<std::vector<std::string>> calls{
      {},
      {"nosuchverb"},
      {"run", "--nosuchoption"},
      {"run", "--suite", "nosuch"},
      {"run", "--suite", "tiny", "--subject", "model:nosuch"},
      {"run", "--suite", "tiny", "--jobs", "0"},
      {"run", "--suite", "tiny", "--include", "("},
      {"run", "--suite", "tiny", "--shard", "3/2"},
      {"run", "--suite", "tiny", "--output", "/proc/nosuch/folder"},
      {"run", "--suite", "tiny", "--db", "/nosuch/folder/results.db"},
      {"run", "--suite", "tiny", "--db", folder.file("text.db")},
      {"list", "nothing"},
      {"explain", "nosuchpath"},
      {"explain", "rr_flashmask/flag_version=9"},
      {"explain", "rr_flashmask/flag_version=4,flag_version=4"},
      {"repro", kSeedBug, "--subject", "fleet"},
      {"graph", "/nosuch.db", "--subject", "model:fleet-d", "-o", folder.file("g.svg")},
      {"report", "/nosuch.db", "-o", folder.file("site")},
      {"completion", "fish"},
      {"watch"},
      {"watch", "--timeout", "0", "--", "true"},
      {"watch", "--output", folder.file("watched"), "--", "no-such-program-anywhere"},
      {"doctor", "--dispatch", "--device", "gpu"},
      {"run", "--suite", "tiny", "--backend", "nowhere"},
      {"run", "--suite", "tiny", "--backend", "reference-rounded", "--evidence", "L2"},
      {"run", "--suite", "tiny", "--evidence", "L3"},
  };
  for (const auto& call : calls) {
    const ProgramResult result = run_program(call, folder.path().string());
    std::string shown;
    for (const std::string& argument : call)
      shown += argument + " ";
    CAPTURE(shown);
    CAPTURE(result.errors);
    CHECK(result.exit_code == 3);
    CHECK(is_one_line(result.errors));
    CHECK(result.errors.starts_with("flashgate: "));
  }
}

TEST_CASE("a run of nothing exits 5")
{
  const tests::TemporaryFolder folder;
  const ProgramResult result =
      run_program({"run", "--suite", "tiny", "--include", "^nothing$", "--output", folder.file("out")});
  CHECK(result.exit_code == 5);
  CHECK(is_one_line(result.errors));
}

TEST_CASE("a run writes its database and its reports, and a second one is appended")
{
  const tests::TemporaryFolder folder;
  const std::vector<std::string> call{"run", "--suite", "tiny", "--output", folder.file("out")};
  const ProgramResult first = run_program(call);
  CAPTURE(first.output);
  CAPTURE(first.errors);
  CHECK(first.exit_code == 0);
  for (const char* name : {"results.db", "index.html", "summary.md", "junit.xml", "failures.csv",
                           "graphs/model-fleet-d.dot", "graphs/model-effective-first.dot"})
    CHECK_MESSAGE(std::filesystem::exists(folder.path() / "out" / name), name);
  CHECK(first.output.find("index.html") != std::string::npos);
  const ProgramResult second = run_program(call);
  CHECK(second.output.find("run tiny-2") != std::string::npos);
  CHECK(run_program({"report", folder.file("out/results.db#tiny-1"), "-o", folder.file("site")}).exit_code == 0);
  CHECK(run_program({"report", folder.file("out/results.db#tiny-9"), "-o", folder.file("site")}).exit_code == 3);
}

TEST_CASE("without --output a run goes to out/SUITE, and out/latest leads there")
{
  const tests::TemporaryFolder folder;
  const ProgramResult result = run_program({"run", "--suite", "tiny"}, folder.path().string());
  CHECK(result.exit_code == 0);
  CHECK(result.output.find("out/latest/index.html") != std::string::npos);
  CHECK(std::filesystem::exists(folder.path() / "out" / "latest" / "index.html"));
  CHECK(std::filesystem::is_symlink(folder.path() / "out" / "latest"));
}

TEST_CASE("the bare truth: fleet models exit 1, the clean control 0")
{
  const tests::TemporaryFolder folder;
  for (const char* subject : {"model:fleet-h0", "model:fleet-h1", "model:fleet-a", "model:fleet-c", "model:fleet-d"})
    CHECK(run_program(
              {"run", "--suite", "tiny", "--no-expectations", "--subject", subject, "--output", folder.file("out")})
              .exit_code == 1);
  CHECK(run_program({"run", "--suite", "tiny", "--no-expectations", "--subject", "model:effective-first", "--output",
                     folder.file("out")})
            .exit_code == 0);
}

TEST_CASE("explain says every decision, and repro fails the same way")
{
  const ProgramResult why = run_program({"explain", kSeedBug, "--subject", "model:fleet-d"});
  CHECK(why.exit_code == 0);
  for (const char* text : {"4 asked for, v4 unavailable", "forward        v3", "I4  fail", "expected 2",
                           "v2 could serve it: yes", "v4 could serve it: no"})
    CHECK_MESSAGE(why.output.find(text) != std::string::npos, text);
  CHECK(run_program({"repro", kSeedBug, "--subject", "model:fleet-d"}).exit_code == 1);
  CHECK(run_program({"repro", kSeedBug, "--subject", "model:fleet-c"}).exit_code == 0);
  const ProgramResult excluded = run_program({"repro", "rr_flash/mask_columns=4"});
  CHECK(excluded.exit_code == 5);
  CHECK(excluded.output.find("path rr_flash takes no mask") != std::string::npos);
}

TEST_CASE("explain shows a hang rank by rank")
{
  const ProgramResult why = run_program(
      {"explain", "cp_flashmask/flag_version=4,device=sm100,rank_skew=rank0_only", "--subject", "model:fleet-d"});
  CHECK(why.output.find("rank 0 waits in all_gather(K)") != std::string::npos);
  CHECK(why.output.find("rank 1 raised ValueError in fwd") != std::string::npos);
}

TEST_CASE("explain takes an execution, and says the worst element of each tensor and its bound")
{
  const ProgramResult why = run_program({"explain", "rr_flashmask//v3/family=causal_document,direction=backward",
                                         "--subject", "model:effective-first", "--backend", "reference-rounded"});
  CAPTURE(why.output);
  CAPTURE(why.errors);
  CHECK(why.exit_code == 0);
  for (const char* text : {"reference-rounded, evidence none", "dK", "error / bound"})
    CHECK_MESSAGE(why.output.find(text) != std::string::npos, text);
  CHECK(run_program({"repro", "rr_flashmask//v3/family=nosuch"}).exit_code == 3);
}

TEST_CASE("every list prints, as text and as JSON")
{
  for (const char* what : {"axes", "suites", "subjects", "checks", "kernels", "backends", "numerics", "constraints"}) {
    CAPTURE(what);
    CHECK_FALSE(run_program({"list", what}).output.empty());
    const auto parsed = nlohmann::json::parse(run_program({"list", what, "--json"}).output);
    CHECK(parsed.is_array());
    CHECK_FALSE(parsed.empty());
  }
  const ProgramResult cells = run_program({"list", "cells", "--suite", "smoke"});
  const ProgramResult count = run_program({"list", "cells", "--suite", "smoke", "--count"});
  const auto lines = std::count(cells.output.begin(), cells.output.end(), '\n');
  CHECK(count.output.starts_with(std::to_string(lines)));
}

TEST_CASE("the graph of a subject, and what differs between two")
{
  const tests::TemporaryFolder folder;
  run_program({"run", "--suite", "tiny", "--output", folder.file("out")});
  const std::string database = folder.file("out/results.db");
  CHECK(run_program({"graph", database, "--subject", "model:fleet-d", "-o", folder.file("d.dot")}).exit_code == 0);
  CHECK(run_program({"graph", database, "--subject", "model:fleet-d", "--against", "model:fleet-c", "-o",
                     folder.file("diff.svg")})
            .exit_code == 0);
  CHECK(std::filesystem::file_size(folder.file("diff.svg")) > 1000);
  CHECK(run_program({"graph", database, "--subject", "nobody", "-o", folder.file("d.dot")}).exit_code == 3);
  CHECK(run_program({"graph", database, "--subject", "model:fleet-d", "-o", folder.file("d.png")}).exit_code == 3);
}

TEST_CASE("completion knows every verb and its options")
{
  for (const char* shell : {"bash", "zsh"}) {
    const ProgramResult script = run_program({"completion", shell});
    CHECK(script.exit_code == 0);
    CHECK(script.output.find("run list explain repro graph report gate bisect doctor emulate expectations merge "
                             "migrate prune watch completion") != std::string::npos);
    CHECK(script.output.find("--no-expectations") != std::string::npos);
  }
}

TEST_CASE("doctor tells what is there, and what flag 4 would run")
{
  CHECK(run_program({"doctor"}).exit_code == 0);
  const ProgramResult dispatch = run_program({"doctor", "--dispatch", "--device", "sm100"});
  CHECK(dispatch.exit_code == 0);
  CHECK(dispatch.output.find("model:fleet-d") != std::string::npos);
  CHECK(dispatch.output.find("flag 4") != std::string::npos);
}

TEST_CASE("a run that is stopped early says so, and resumes")
{
  const tests::TemporaryFolder folder;
  const std::vector<std::string> call{"run", "--suite", "tiny", "--output", folder.file("out"), "--deadline", "0.0001"};
  const ProgramResult stopped = run_program(call);
  CHECK(stopped.exit_code == 2);
  const ProgramResult resumed = run_program({"run", "--suite", "tiny", "--output", folder.file("out"), "--resume"});
  CHECK(resumed.exit_code == 0);
  CHECK(resumed.output.find("run tiny-1") != std::string::npos);
}

}  // namespace
}  // namespace flashgate
