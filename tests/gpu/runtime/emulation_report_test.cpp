#include "gpu/runtime/emulation_report.h"

#include <filesystem>
#include <fstream>

#include <doctest/doctest.h>
#include <unistd.h>

#include "reference/error.h"

namespace flashgate::gpu::runtime {
namespace {

namespace fs = std::filesystem;

/// A folder of the test's own, removed at its end.
struct Scratch
{
  fs::path path = fs::temp_directory_path() / ("flashgate-report-" + std::to_string(getpid()));
  Scratch() { fs::create_directory(path); }
  ~Scratch() { fs::remove_all(path); }
};

TEST_CASE("options survive the environment")
{
  EmulationOptions options;
  options.checks = "race,uninit";
  options.schedules = 12;
  options.architecture = 90;
  options.multiprocessors = 7;
  options.memory_bytes = 123;
  options.instruction_budget = 1'000'000'000'000;
  options.report = "/a folder/with \"quotes\"/report.json";
  CHECK(parse_emulation_options(to_text(options)) == options);
}

TEST_CASE("options that this program did not write are refused by one line")
{
  for (const char* text : {"", "x", "{}", "[]", R"({"checks":1})"}) {
    CAPTURE(text);
    CHECK_THROWS_AS(parse_emulation_options(text), Error);
  }
}

TEST_CASE("a report is read as it was written, whatever bytes names hold")
{
  const Scratch scratch;
  EmulationReport report;
  report.kernels.push_back({"kernel<float>", 3, 100, 5000, 1, 2, 64, true});
  report.findings.push_back(
      {"race-shared", "k", "block (0,0,0) warp 1 lanes 0-3", "a.cu:3", "a.cu:9", "</script>\n\x01", 2, false});
  report.refused = {"cublasCreate"};
  report.finished = true;
  write_report(report, scratch.path / "report.json");
  CHECK(read_report(scratch.path / "report.json") == report);

  report.findings[0].detail = "broken \xFF utf-8";
  write_report(report, scratch.path / "report.json");
  CHECK(read_report(scratch.path / "report.json").findings[0].detail == "broken \xEF\xBF\xBD utf-8");
}

TEST_CASE("no report, half a report and a folder that is not there are errors")
{
  const Scratch scratch;
  CHECK_THROWS_AS(read_report(scratch.path / "none.json"), Error);
  std::ofstream(scratch.path / "half.json") << R"({"kernels": [)";
  CHECK_THROWS_AS(read_report(scratch.path / "half.json"), Error);
  CHECK_THROWS_AS(write_report({}, scratch.path / "no" / "report.json"), Error);
}

}  // namespace
}  // namespace flashgate::gpu::runtime
