// The table of programs, the marks in their sources, and the files in the folder say the same.
#include <algorithm>
#include <filesystem>
#include <iterator>
#include <set>
#include <string>

#include <doctest/doctest.h>

#include "reference/error.h"
#include "tests/gpu/programs/fault_marks.h"
#include "tests/gpu/programs/programs.h"

namespace flashgate::gpu::programs {
namespace {

const std::string kFolder = FLASHGATE_SOURCE_DIR "/tests/gpu/programs";

TEST_CASE("every source in the folder is in the table, once")
{
  std::multiset<std::string> listed;
  for (const Program& program : kPrograms)
    listed.insert(std::string(program.name));
  for (const RefusedProgram& program : kRefused)
    listed.insert(std::string(program.name));
  listed.erase("machine_code_only");  // reduction.cu, built otherwise
  std::multiset<std::string> present;
  for (const auto& entry : std::filesystem::directory_iterator(kFolder)) {
    if (entry.path().extension() == ".cu") present.insert(entry.path().stem().string());
  }
  CHECK(listed == present);
}

TEST_CASE("a faulty program's source marks its check, a right one's marks nothing")
{
  for (const Program& program : kPrograms) {
    CAPTURE(program.name);
    const std::vector<FaultMark> marks = marks_of_program(kFolder, std::string(program.name));
    const auto is_fault = [](const FaultMark& mark) { return !mark.also; };
    CHECK(std::ranges::any_of(marks, is_fault) == !program.finds.empty());
    for (const FaultMark& mark : marks) {
      if (is_fault(mark)) CHECK(mark.check == program.finds);
    }
  }
}

TEST_CASE("there are at least forty faults, and each check has one")
{
  std::set<std::string_view> checks;
  for (const Program& program : kPrograms)
    checks.insert(program.finds);
  checks.erase("");
  CHECK(std::ranges::count_if(kPrograms, [](const Program& program) { return !program.finds.empty(); }) >= 40);
  CHECK(checks.size() == 16);
}

TEST_CASE("marks are read from a line's comment")
{
  CHECK(marks_in_line("a.cu", 3, "x = y;  // why").empty());
  CHECK(marks_in_line("a.cu", 3, "f(\"FAULT: hang\");").empty());
  CHECK(marks_in_line("a.cu", 3, "x = y;  // FAULT: hang") == std::vector<FaultMark>{{"a.cu", 3, "hang", false}});
  CHECK(marks_in_line("a.cuh", 7, "x;  // FAULT: hang ALSO: race-shared, trap") ==
        std::vector<FaultMark>{
            {"a.cuh", 7, "hang", false}, {"a.cuh", 7, "race-shared", true}, {"a.cuh", 7, "trap", true}});
  CHECK_THROWS_AS(marks_of_program(kFolder, "no_such_program"), Error);
}

}  // namespace
}  // namespace flashgate::gpu::programs
