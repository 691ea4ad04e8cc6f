// What `emulate` says about programs it can't run. What it finds in those it can is tests/gpu/programs' business.
#include <filesystem>
#include <fstream>

#include <doctest/doctest.h>

#include "tests/app/run_program.h"
#include "tests/temporary_folder.h"

namespace flashgate {
namespace {

using tests::ProgramResult;
using tests::run_program;

bool is_one_line(const std::string& text) { return !text.empty() && text.find('\n') == text.size() - 1; }

TEST_CASE("emulate refuses what it can't run by one line, exit 3")
{
  const tests::TemporaryFolder folder;
  const std::string text = folder.file("script");
  std::ofstream(text) << "#!/bin/sh\nexit 0\n";
  std::filesystem::permissions(text, std::filesystem::perms::owner_all);
  const std::vector<std::vector<std::string>> calls{
      {"emulate"},
      {"emulate", "--", "/no/such/program"},
      {"emulate", "--", "no-such-program-on-path"},
      {"emulate", "--", text},
      {"emulate", "--", folder.path().string()},
      {"emulate", "--checks", "rase", "--", "/bin/true"},
      {"emulate", "--arch", "80", "--", "/bin/true"},
      {"emulate", "--arch", "sm_", "--", "/bin/true"},
      {"emulate", "--arch", "sm_99999999999", "--", "/bin/true"},
      {"emulate", "--schedules", "0", "--", "/bin/true"},
      {"emulate", "--memory", "0", "--", "/bin/true"},
  };
  for (const auto& call : calls) {
    std::string shown;
    for (const std::string& argument : call)
      shown += argument + " ";
    CAPTURE(shown);
    const ProgramResult result = run_program(call);
    CAPTURE(result.errors);
    CHECK(result.exit_code == 3);
    CHECK(is_one_line(result.errors));
  }
}

}  // namespace
}  // namespace flashgate
