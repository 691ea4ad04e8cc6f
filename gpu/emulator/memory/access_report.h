#pragma once

#include <cstdint>
#include <string>
#include <utility>

#include "gpu/emulator/memory/memory_context.h"

namespace flashgate::gpu {

/// Adds a finding of the warp's instruction if its check is on. `detail()` is called only where the place is new.
template <typename Detail>
void report(MemoryWarp& warp, Check check, const isa::Instruction& instruction, std::int32_t other, isa::LaneMask lanes,
            const Detail& detail)
{
  const MemoryContext& context = *warp.context;
  if (!context.checks.has(check)) return;
  Finding finding;
  finding.check = check;
  finding.block = warp.block_memory->index;
  finding.warp = warp.id;
  finding.lanes = lanes;
  finding.instruction = instruction.index;
  finding.other = other;
  if (context.findings->is_new(check, instruction.index, other)) finding.detail = detail();
  context.findings->add(std::move(finding));
}

/// "0x7f12...".
std::string hex(std::uint64_t value);

}  // namespace flashgate::gpu
