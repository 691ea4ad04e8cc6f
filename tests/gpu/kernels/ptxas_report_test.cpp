// Evidence level L0: what ptxas says of our kernels, and the budget that it is held to.
#include <iostream>

#include <doctest/doctest.h>

#include "reference/error.h"
#include "tests/gpu/kernels/ptxas_budget.h"

namespace flashgate::gpu::kernels {
namespace {

const char* const kReport = R"(ptxas info    : 0 bytes gmem
ptxas info    : Compiling entry function 'naive_forward_bf16' for 'sm_80'
ptxas info    : Function properties for naive_forward_bf16
    1024 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads
ptxas info    : Used 40 registers, used 0 barriers, 1024 bytes cumulative stack size, 744 bytes cmem[0]
ptxas info    : Compiling entry function 'v2_forward_fp16_d64' for 'sm_90a'
ptxas info    : Function properties for v2_forward_fp16_d64
    24 bytes stack frame, 16 bytes spill stores, 32 bytes spill loads
ptxas info    : Used 255 registers, used 1 barriers, 512 bytes smem
)";

TEST_CASE("figures are read kernel by kernel")
{
  const std::vector<PtxasFigures> figures = parse_ptxas_report(kReport, "ptxas.txt");
  REQUIRE(figures.size() == 2);
  CHECK(figures[0] == PtxasFigures{"naive_forward_bf16", "sm_80", 40, 1024, 0, 0, 0});
  CHECK(figures[1] == PtxasFigures{"v2_forward_fp16_d64", "sm_90a", 255, 24, 16, 32, 512});
}

TEST_CASE("a kernel without figures is refused, by line")
{
  const std::string cut = "\nptxas info    : Compiling entry function 'a' for 'sm_80'\n";
  CHECK_THROWS_WITH_AS(parse_ptxas_report(cut, "ptxas.txt"), "ptxas.txt:2: expected spills and registers of a", Error);
  CHECK_THROWS_AS(parse_ptxas_report(cut + kReport, "ptxas.txt"), Error);
}

TEST_CASE("a folder without a report says why there are no figures")
{
  std::string why_not;
  CHECK(read_ptxas_report("/nowhere", why_not).empty());
  CHECK(why_not.starts_with("/nowhere/ptxas.txt was not made"));
}

TEST_CASE("spills, registers over budget, strangers and what is missing are complained about")
{
  const std::vector<std::string> complaints =
      budget_complaints(parse_ptxas_report(kReport, "planted"), {{"v2_forward_d64", 254}, {"v2_forward_d32", 128}});
  const std::vector<std::string> expected{
      "naive_forward_bf16 has no budget",
      "v2_forward_fp16_d64 on sm_90a spills: 16 bytes stored, 32 loaded",
      "v2_forward_fp16_d64 on sm_90a takes 255 registers, its budget is 254",
      "v2_forward_d64 was not assembled for sm_80",
      "v2_forward_d64 was not assembled for sm_100a",
      "v2_forward_d32 was not assembled for sm_80",
      "v2_forward_d32 was not assembled for sm_90a",
      "v2_forward_d32 was not assembled for sm_100a",
  };
  CHECK(complaints == expected);
}

/// Without ptxas there is nothing to judge, and ctest takes the word `skip:` for a skipped test, not a passed one.
TEST_CASE("no kernel spills, and none takes more registers than its budget")
{
  std::string why_not;
  const std::vector<PtxasFigures> figures = read_ptxas_report(FLASHGATE_KERNELS, why_not);
  if (!why_not.empty()) {
    std::cout << "skip: " << why_not << '\n';
    return;
  }
  CHECK(budget_complaints(figures, register_budgets()) == std::vector<std::string>{});
}

}  // namespace
}  // namespace flashgate::gpu::kernels
