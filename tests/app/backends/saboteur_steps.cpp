#include "tests/app/backends/saboteur_steps.h"

#include <cstddef>
#include <utility>

#include <fmt/format.h>

#include "gpu/kernels/attention_launch.h"

namespace flashgate::app {
namespace {

using gpu::kernels::AttentionParameters;
using gpu::kernels::LaunchPlan;

constexpr const char* kModule = "saboteur";

/// Registers that every body finds: %q, %o, %lse the tensors' addresses, %gap the first byte behind O's last row of the
/// first head, %t the thread, %b the block, %s its shared memory.
constexpr const char* kEntry = R"(.version 8.0
.target sm_80
.address_size 64
.visible .entry saboteur(.param .align 8 .b8 parameters[{size}])
{{
  .shared .align 16 .b8 tile[256];
  .reg .pred %p;
  .reg .b32 %t, %b, %s, %x, %y, %rows;
  .reg .b64 %q, %o, %lse, %gap, %stride;
  .reg .b16 %h;
  ld.param.u64 %q, [parameters+{q}];
  ld.param.u64 %o, [parameters+{o}];
  ld.param.u64 %lse, [parameters+{lse}];
  ld.param.u64 %stride, [parameters+{o_row_stride}];
  ld.param.u32 %rows, [parameters+{seqlen_q}];
  cvt.u64.u32 %gap, %rows;
  mul.lo.u64 %gap, %gap, %stride;
  shl.b64 %gap, %gap, 1;
  add.u64 %gap, %gap, %o;
  mov.u32 %t, %tid.x;
  mov.u32 %b, %ctaid.x;
  mov.u32 %s, tile;
{body}
  ret;
}}
)";

constexpr SaboteurStep kSteps[] = {
    {"hang", "waits for a flag that nobody sets", "again: bra again;"},
    {"trap", "stops itself", "trap;"},
    {"race", "two warps write one word of shared memory", "st.shared.u32 [%s], %t;", 1, 64},
    {"async_read", "reads what a copy is still bringing",
     R"(setp.ne.u32 %p, %t, 0;
  @%p bra out;
  st.shared.u32 [%s], %t;
  cp.async.ca.shared.global [%s], [%q], 4;
  cp.async.commit_group;
  ld.shared.u32 %x, [%s];
  cp.async.wait_group 0;
out:)"},
    {"uninit", "reads shared memory that was never written", "ld.shared.u32 %x, [%s]; st.shared.u32 [%s], %x;"},
    {"out_of_bounds", "reads before the beginning of Q", "ld.global.u32 %x, [%q+-4];"},
    {"misaligned", "reads a word at an odd half", "ld.global.u32 %x, [%q+2];"},
    {"divergence", "half a warp waits for all of it",
     "setp.lt.u32 %p, %t, 16;\n  @%p bra out;\n  bar.warp.sync 0xffffffff;\nout:"},
    {"red_zone", "writes behind O's last row",
     "setp.ne.u32 %p, %t, 0;\n  @%p bra out;\n  mov.u16 %h, 0;\n  st.global.u16 [%gap], %h;\nout:"},
    {"bitwise", "the block that comes last decides about a bit",
     R"(setp.ne.u32 %p, %t, 0;
  @%p bra out;
  and.b32 %x, %b, 1;
  setp.eq.u32 %p, %x, 0;
  @%p bra even;
  atom.global.or.b32 %y, [%lse], 1;
  bra out;
even:
  atom.global.and.b32 %y, [%lse], 0xfffffffe;
out:)",
     16},
    {"unwritten", "leaves out the last tile of rows", "", 0, 0,
     [](LaunchPlan& plan) { plan.steps.back().grid.x -= 1; }},
};

}  // namespace

std::span<const SaboteurStep> saboteur_steps() { return kSteps; }

gpu::attention::KernelLibrary with_saboteur(gpu::attention::KernelLibrary library, const SaboteurStep& step)
{
  using P = AttentionParameters;
  library[kModule] =
      fmt::format(kEntry, fmt::arg("size", sizeof(P)), fmt::arg("q", offsetof(P, q)), fmt::arg("o", offsetof(P, o)),
                  fmt::arg("lse", offsetof(P, lse)),
                  fmt::arg("o_row_stride", offsetof(P, o) + offsetof(gpu::kernels::HeadTensor, row_stride)),
                  fmt::arg("seqlen_q", offsetof(P, seqlen_q)), fmt::arg("body", step.body));
  return library;
}

gpu::attention::HostOptions sabotaged(const SaboteurStep& step)
{
  gpu::attention::HostOptions options;
  options.plan_forward = [&step](const reference::Problem& problem, const gpu::kernels::LaunchOptions& launch) {
    LaunchPlan plan = gpu::kernels::plan_forward(problem, launch);
    step.change(plan);
    if (step.blocks > 0) plan.steps.push_back({kModule, kModule, {step.blocks, 1, 1}, {step.threads, 1, 1}, 0});
    return plan;
  };
  return options;
}

}  // namespace flashgate::app
