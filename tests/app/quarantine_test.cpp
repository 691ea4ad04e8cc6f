// `expectations quarantine` as a user runs it: which lines of the three files can go.
#include <fstream>
#include <iterator>

#include <doctest/doctest.h>

#include "tests/app/run_program.h"
#include "tests/temporary_folder.h"

namespace flashgate {
namespace {

using tests::ProgramResult;

constexpr const char* kFails = "subject=model:fleet-d check=I4 flag_version=4 | v3 has none | me | never\n";
constexpr const char* kFlakes = "subject=model:fleet-d check=I1,I4 deterministic=on | now and then | me | never\n";
constexpr const char* kSkips = "subject=model:fleet-d flag_version=4 deterministic=on | not today | me | never\n";

/// Suite tiny with expectation files of its own.
void write_suite(const tests::TemporaryFolder& folder, const std::string& fails, const std::string& flakes,
                 const std::string& skips)
{
  std::ifstream tiny(FLASHGATE_SOURCE_DIR "/suites/tiny.toml");
  std::string toml{std::istreambuf_iterator<char>(tiny), std::istreambuf_iterator<char>()};
  toml.replace(toml.find("\"default\""), 9, "\"own\"");
  std::ofstream(folder.file("own.toml")) << toml;
  std::ofstream(folder.file("own-fails.txt")) << fails;
  std::ofstream(folder.file("own-flakes.txt")) << flakes;
  std::ofstream(folder.file("own-skips.txt")) << skips;
}

ProgramResult quarantine(const tests::TemporaryFolder& folder, const std::string& suite = "own")
{
  return tests::run_program({"expectations", "quarantine", "--suite", suite, "--suites", folder.path().string(),
                             "--subject", "model:fleet-d", "--subject", "model:effective-first"},
                            folder.path().string());
}

TEST_CASE("what still fails stays listed, whichever file lists it, and the run's failures are no failure here")
{
  const tests::TemporaryFolder folder;
  write_suite(folder, kFails, kFlakes, kSkips);
  const ProgramResult result = quarantine(folder);
  CAPTURE(result.errors);
  CHECK(result.output == "0 of 3 lines can be removed\n");
  CHECK(result.exit_code == 0);
}

TEST_CASE("what did not fail, or has expired, can be removed, and is told by file and line")
{
  const tests::TemporaryFolder folder;
  const std::string cured = "subject=model:effective-first check=I4 flag_version=4 | cured | me | never\n";
  const std::string cured_skip = "subject=model:effective-first flag_version=3 | cured | me | never\n";
  const std::string expired = "subject=model:fleet-d check=I4 flag_version=4 head_dim=192 | old | me | 2001-01-02\n";
  write_suite(folder, kFails + expired, "# a comment\n" + cured + kFlakes, kSkips + cured_skip);
  const ProgramResult result = quarantine(folder);
  CAPTURE(result.errors);
  CHECK(result.output ==
        "own-fails.txt:2: expired: subject=model:fleet-d check=I4 flag_version=4 head_dim=192\n"
        "own-flakes.txt:2: did not fail, can be removed: subject=model:effective-first check=I4 flag_version=4\n"
        "own-skips.txt:2: did not fail, can be removed: subject=model:effective-first flag_version=3\n"
        "3 of 6 lines can be removed\n");
  CHECK(result.exit_code == 1);
}

TEST_CASE("a quarantine that can't run is no verdict on any line")
{
  const tests::TemporaryFolder folder;
  write_suite(folder, "subject=model:fleet-d check=I4 no_such_axis=4 | why | me | never\n", "", "");
  const ProgramResult result = quarantine(folder);
  CHECK(result.exit_code == 3);
  CHECK(result.output.empty());
  CHECK(result.errors.find("own-fails.txt:1: ") != std::string::npos);
  CHECK(quarantine(folder, "nosuch").exit_code == 3);
}

}  // namespace
}  // namespace flashgate
