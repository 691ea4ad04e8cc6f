// The example of docs/add_a_kernel.md, and its twins with a fault, through the program.
#include <fstream>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "tests/app/run_program.h"

namespace flashgate::tests {
namespace {

ProgramResult repro(const std::string& map, const std::string& numerics)
{
  return run_program({"repro", "rr_flashmask/flag_version=2//" + numerics, "--subject", "model:effective-first",
                      "--backend", "external:" + map, "--evidence", "L2"});
}

bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

#ifdef FLASHGATE_HAS_NVCC

std::string map_in(const std::string& folder)
{
  return std::string(FLASHGATE_EXTERNAL) + "/" + folder + "/attention_row.toml";
}

/// "attention_row.cu:12", the line that `text` stands in.
std::string place_of(const std::string& folder, const std::string& text)
{
  std::ifstream in(std::string(FLASHGATE_EXTERNAL) + "/" + folder + "/examples/kernels/attention_row.cu");
  std::string line;
  for (int number = 1; std::getline(in, line); ++number)
    if (has(line, text)) return "attention_row.cu:" + std::to_string(number);
  FAIL("no line with " << text);
  return {};
}

TEST_CASE("the example kernel passes at L2, with every kind of mask")
{
  for (const char* numerics :
       {"v2/family=document,seqlen=63,heads=4/2", "v2/family=causal_document,seqlen=65/1,heads=6/2",
        "v2/family=fully_masked_rows,seqlen=63,heads=1/1,head_dim=80",
        "v2/family=global_sliding_window,seqlen=65,heads=1/1"}) {
    CAPTURE(numerics);
    const ProgramResult result = repro(map_in("right"), numerics);
    CAPTURE(result.output);
    CAPTURE(result.errors);
    CHECK(result.exit_code == 0);
    CHECK(has(result.output, "external"));
    CHECK(has(result.output, "L2"));
  }
}

TEST_CASE("a missing barrier is a race, and the line that reads too early is named")
{
  const ProgramResult result = repro(map_in("no_barrier"), "v2/family=document,seqlen=65,heads=1/1");
  CAPTURE(result.output);
  CHECK(result.exit_code == 1);
  CHECK(has(result.output, "race"));
  CHECK(has(result.output, place_of("no_barrier", "row_max = fmaxf(row_max, p[j])")));
}

TEST_CASE("a wrong mask bound is found by the oracle")
{
  const ProgramResult result = repro(map_in("wrong_bound"), "v2/family=causal_document,seqlen=65,heads=1/1");
  CAPTURE(result.output);
  CHECK(result.exit_code == 1);
  CHECK(has(result.output, "numerics"));
}

TEST_CASE("what the map does not answer for is a skip with the reason")
{
  const ProgramResult fp16 = repro(map_in("right"), "v2/family=document,dtype=fp16");
  CHECK(has(fp16.output, "skip"));
  CHECK(has(fp16.output, "the map has no fp16"));
  const ProgramResult v3 = repro(map_in("right"), "v3/family=document");
  CHECK(has(v3.output, "the map's kernel does not answer for v3"));
}

#endif

TEST_CASE("without a map, or with one that can't be read, nothing runs and exit 3 says why")
{
  const ProgramResult none = run_program({"run", "--suite", "tiny", "--backend", "external", "--output", "/dev/null"});
  CHECK(none.exit_code == 3);
  const ProgramResult missing = repro("no_such.toml", "v2/family=document");
  CHECK(missing.exit_code == 3);
  CHECK(has(missing.errors, "no_such.toml: no file that can be read"));
}

}  // namespace
}  // namespace flashgate::tests
