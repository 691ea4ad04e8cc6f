// Runs every program of the table under `flashgate emulate`: each fault is found at its line, no right program is
// accused.
#include "tests/gpu/programs/programs.h"

#include <algorithm>
#include <cctype>
#include <sstream>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "gpu/runtime/emulation_report.h"
#include "tests/app/run_program.h"
#include "tests/gpu/programs/fault_marks.h"
#include "tests/temporary_folder.h"

namespace flashgate::gpu::programs {
namespace {

using tests::ProgramResult;
using tests::run_program;

const std::string kSources = FLASHGATE_SOURCE_DIR "/tests/gpu/programs";

ProgramResult emulate(const Program& program, const std::string& twin)
{
  std::vector<std::string> arguments{"emulate"};
  if (program.instruction_budget != 0) {
    arguments.insert(arguments.end(), {"--budget", std::to_string(program.instruction_budget)});
  }
  arguments.insert(arguments.end(), {"--", FLASHGATE_PROGRAMS "/" + std::string(program.name), twin});
  return run_program(arguments);
}

/// A finding of the printed report: its check, and its sites with all of their frames.
struct Printed
{
  std::string check;
  std::string sites;
};

std::vector<Printed> findings_in(const std::string& report)
{
  std::vector<Printed> findings;
  std::istringstream lines(report);
  for (std::string line; std::getline(lines, line);) {
    const std::size_t open = line.starts_with("warning [") ? 8 : 0;
    if (line[open] == '[') findings.push_back({line.substr(open + 1, line.find(']') - open - 1), ""});
    const bool site = line.starts_with("    at ") || line.starts_with("    earlier at ");
    if (site && !findings.empty()) findings.back().sites += line + '\n';
  }
  return findings;
}

/// Whether one of the frames is the mark's line: "a.cu:1" is not in "a.cu:12".
bool is_at(const Printed& finding, const FaultMark& mark)
{
  const std::string place = mark.file + ':' + std::to_string(mark.line);
  for (std::size_t at = finding.sites.find(place); at != std::string::npos; at = finding.sites.find(place, at + 1)) {
    const std::size_t end = at + place.size();
    if (end == finding.sites.size() || std::isdigit(static_cast<unsigned char>(finding.sites[end])) == 0) return true;
  }
  return false;
}

bool is_found(const std::vector<Printed>& findings, const std::vector<FaultMark>& marks)
{
  return std::ranges::any_of(findings, [&](const Printed& finding) {
    return std::ranges::any_of(marks, [&](const FaultMark& mark) {
      return !mark.also && mark.check == finding.check && is_at(finding, mark);
    });
  });
}

TEST_CASE("no right program is accused, and each gives its result")
{
  for (const Program& program : kPrograms) {
    CAPTURE(program.name);
    const ProgramResult result = emulate(program, "good");
    CAPTURE(result.errors);
    CHECK(result.exit_code == 0);
    CHECK(result.output == program.prints);
    CHECK(findings_in(result.errors).empty());
  }
}

TEST_CASE("every fault is found and named with its line")
{
  int faults = 0;
  for (const Program& program : kPrograms) {
    if (program.finds.empty()) continue;
    CAPTURE(program.name);
    const ProgramResult result = emulate(program, "bad");
    CAPTURE(result.errors);
    CHECK(is_found(findings_in(result.errors), marks_of_program(kSources, std::string(program.name))));
    // A warning is no failure; anything else is.
    CHECK(result.exit_code == (program.finds == "early-exit" ? 0 : 1));
    ++faults;
  }
  CHECK(faults >= 40);
}

TEST_CASE("the report as JSON names the finding as the text does")
{
  const tests::TemporaryFolder folder;
  const std::string file = folder.file("report.json");
  const ProgramResult result =
      run_program({"emulate", "--report", file, "--", FLASHGATE_PROGRAMS "/read_past_end", "bad"});
  CHECK(result.exit_code == 1);
  const runtime::EmulationReport report = runtime::read_report(file);
  REQUIRE(report.findings.size() == 1);
  CHECK(report.findings[0].check == "out-of-bounds");
  CHECK(result.errors.find(report.findings[0].site) != std::string::npos);
  CHECK(report.finished);
}

TEST_CASE("checks that are switched off report nothing, the others still do")
{
  const auto findings = [](const char* checks, const char* program) {
    const std::string path = std::string(FLASHGATE_PROGRAMS "/") + program;
    return findings_in(run_program({"emulate", "--checks", checks, "--", path, "bad"}).errors).size();
  };
  CHECK(findings("uninit", "histogram_plain_add") == 0);
  CHECK(findings("race", "histogram_plain_add") > 0);
  CHECK(findings("race", "uninit_global_sum") == 0);
  CHECK(findings("uninit-global", "uninit_global_sum") > 0);
  CHECK(findings("race", "read_past_end") > 0);
}

TEST_CASE("what the device lacks is refused by name, and never counts as a pass")
{
  for (const RefusedProgram& program : kRefused) {
    CAPTURE(program.name);
    const ProgramResult result = emulate({program.name}, "good");
    CAPTURE(result.errors);
    CHECK(result.exit_code == 3);
    CHECK(result.errors.find("not supported: ") != std::string::npos);
    CHECK(result.errors.find(program.says) != std::string::npos);
  }
}

TEST_CASE("a report's findings are read with their places")
{
  const std::vector<Printed> findings = findings_in(
      "flashgate emulate: emulated sm_80\n"
      "[race-shared] read of smem+0\n    at a.cu:12 < b.cuh:3 (ptx line 9)\n    earlier at a.cu:7\n    in k, block\n"
      "warning [early-exit] two warps\n    at a.cu:5\n");
  REQUIRE(findings.size() == 2);
  CHECK(findings[0].check == "race-shared");
  CHECK(is_at(findings[0], {"b.cuh", 3, "", false}));
  CHECK(is_at(findings[0], {"a.cu", 7, "", false}));
  CHECK_FALSE(is_at(findings[0], {"a.cu", 1, "", false}));
  CHECK(findings[1].check == "early-exit");
  CHECK(is_at(findings[1], {"a.cu", 5, "", false}));
}

}  // namespace
}  // namespace flashgate::gpu::programs
