// ggml-org/llama.cpp#27678, #27870: a barrier inside a branch that some warps take; the numbers were right.
#include <doctest/doctest.h>

#include "tests/issues/kernels/kernel_cell.h"

namespace flashgate::gpu::kernels {
namespace {

KernelCase cell()
{
  KernelCase c{reference::Family::causal_document, {true, 1}, 3, 512, 192, 128, 8, 1};
  c.corner = reference::Causal::bottom_right;
  return c;
}

TEST_CASE("B31: all threads of v2 meet at the same barriers")
{
  const JudgedCase judged = judge_case(cell());
  CHECK(is_right(judged, run_cell(judged, Family::v2)));
}

TEST_CASE("B31: two barriers where one should be are found by their lines, although the numbers are right")
{
  const JudgedCase judged = judge_case(cell());
  const attention::KernelLibrary library = kernels_with("b31");
  KernelRunner runner(library);
  const KernelResult result = runner.run(judged.problem, judged.mask, judged.inputs, {}, false);
  CHECK(complains(result, {"barrier-divergence", "v2_forward_bf16_d192", "v2_forward.cuh:"}));
  CHECK(forward_ratio(judged, result) <= 1.0);
}

}  // namespace
}  // namespace flashgate::gpu::kernels
