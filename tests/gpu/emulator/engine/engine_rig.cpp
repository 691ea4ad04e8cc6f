#include "tests/gpu/emulator/engine/engine_rig.h"

#include <algorithm>
#include <cstring>
#include <set>

#include <doctest/doctest.h>

namespace flashgate::gpu {
namespace {

constexpr const char* kHeader = ".version 8.0\n.target sm_80\n.address_size 64\n";
constexpr const char* kPrologue =
    "{ .reg .b32 %r<40>; .reg .b64 %rd<20>; .reg .pred %p<10>; .reg .f32 %f<10>;\n"
    "ld.param.u64 %rd0, [k_out]; mov.u32 %r0, %tid.x; mov.u32 %r1, %ctaid.x;\n"
    "mov.u32 %r2, %ntid.x; mad.lo.u32 %r1, %r1, %r2, %r0; mul.wide.u32 %rd1, %r1, 4; add.u64 %rd1, %rd0, %rd1;\n";
constexpr const char* kEpilogue = "\nst.global.u32 [%rd1], %r2; ret; }\n";

}  // namespace

std::string Outcome::checks() const
{
  std::set<std::string> names;
  for (const Finding& finding : result.findings)
    names.emplace(check_name(finding.check));
  std::string text;
  for (const std::string& name : names)
    text += (text.empty() ? "" : " ") + name;
  return text;
}

const Finding& Outcome::finding(Check check) const
{
  const auto found = std::find_if(result.findings.begin(), result.findings.end(),
                                  [&](const Finding& finding) { return finding.check == check; });
  REQUIRE(found != result.findings.end());
  return *found;
}

std::string Outcome::detail(Check check) const
{
  const auto found = std::find_if(result.findings.begin(), result.findings.end(),
                                  [&](const Finding& finding) { return finding.check == check; });
  return found == result.findings.end() ? "" : found->detail;
}

std::string EngineRig::text() const
{
  return kHeader + declarations + "\n.visible .entry k(.param .u64 k_out)" + directives + "\n" + kPrologue + body +
         kEpilogue;
}

int EngineRig::body_line(int line) const
{
  const std::string before = kHeader + declarations + "\n\n" + kPrologue;
  return static_cast<int>(std::count(before.begin(), before.end(), '\n')) + line;
}

Outcome EngineRig::run() const
{
  const auto module = std::make_shared<const ptx::Module>(ptx::parse_module(text(), "test.ptx"));
  GlobalMemory memory;
  const LoadedModule loaded(module, memory);
  Outcome outcome;
  outcome.program = loaded.program("k", {.core = options.core, .checked = checked, .variable_addresses = {}});
  outcome.out.resize(grid.count() * block.count());
  const std::uint64_t out = memory.allocate(outcome.out.size() * 4, "out");
  memory.fill(out, std::byte{0}, outcome.out.size() * 4);
  LaunchConfig config{grid, block, {}, dynamic_shared_bytes, cooperative, std::vector<std::byte>(sizeof(out))};
  std::memcpy(config.parameters.data(), &out, sizeof(out));
  ExecutionOptions run_options = options;
  run_options.print = [&](std::string_view printed) { outcome.printed += printed; };
  outcome.result = launch(*outcome.program, memory, config, run_options);
  memory.copy_out(std::as_writable_bytes(std::span(outcome.out)), out);
  return outcome;
}

EngineRig rig(std::string body, std::uint32_t threads)
{
  EngineRig made;
  made.body = std::move(body);
  made.block = {threads, 1, 1};
  return made;
}

}  // namespace flashgate::gpu
