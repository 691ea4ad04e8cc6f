#include "reports/execution_lines.h"

#include <doctest/doctest.h>

#include "reports/repro_line.h"

namespace flashgate::reports {
namespace {

using matrix::Verdict;

bool has_line(const std::vector<std::string>& lines, const std::string& text)
{
  for (const std::string& line : lines)
    if (line.find(text) != std::string::npos) return true;
  return false;
}

}  // namespace

TEST_CASE("executions are counted per level of evidence, skips apart with their reasons")
{
  RunSummary summary;
  summary.executions = {{"v2", "L1", Verdict::pass, "", 1234},
                        {"v2", "L2", Verdict::pass, "", 20},
                        {"v2", "L2", Verdict::fail, "", 1},
                        {"v3", "none", Verdict::skip, "kernel not built yet", 300}};
  summary.unpromised_bits = {{"v2", "dQ", 89, 2}};
  const std::vector<std::string> lines = execution_lines(summary);
  CHECK(has_line(lines, "1,234 executions at evidence L1, emulated once: 1,234 pass."));
  CHECK(has_line(lines,
                 "21 executions at evidence L2, emulated with every check, under several schedules: 1 fail, 20 pass."));
  CHECK(has_line(lines, "300 executions skipped: 300 v3 (kernel not built yet)."));
  CHECK(has_line(lines, "L1 and L2 are functional evidence only: PTX is not SASS"));
  CHECK(has_line(lines, "No bits are promised of v2 dQ in 89 executions, 2 of them seen to vary."));

  RunSummary rounded;
  rounded.executions = {{"v3", "none", Verdict::pass, "", 5}};
  CHECK_FALSE(has_line(execution_lines(rounded), "functional evidence"));
  CHECK(has_line(execution_lines(rounded), "says nothing about a kernel"));
}

TEST_CASE("the command that repeats a failed execution names it, a failed plan's names the cell")
{
  matrix::FailureClass failure;
  failure.subject = "model:fleet-d";
  failure.example_cell = "rr_flash/flag_version=2";
  failure.check_id = "race";
  failure.detail = "v2/seqlen=65: write of smem+64";
  CHECK(repro_line(failure) ==
        "build/release/flashgate repro 'rr_flash/flag_version=2//v2/seqlen=65' --subject model:fleet-d");
  failure.check_id = "I4";
  CHECK(repro_line(failure) == "build/release/flashgate repro 'rr_flash/flag_version=2' --subject model:fleet-d");
  CHECK(repro_line(failure, "pytest tests") == repro_line(failure));
  failure.example_cell = "test:test_mask.py::test_rows";
  CHECK(repro_line(failure, "pytest tests") == "build/release/flashgate watch -- pytest tests");
}

}  // namespace flashgate::reports
