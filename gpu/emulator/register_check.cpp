#include "gpu/emulator/register_check.h"

#include "gpu/emulator/report.h"

namespace flashgate::gpu {
namespace {

void check_read(Engine& engine, Warp& warp, std::int32_t at, std::uint32_t reg, isa::LaneMask lanes)
{
  const isa::LaneMask missing = lanes & ~warp.initialised[reg];
  if (missing == 0) return;
  report(engine, warp, Check::uninit_register, missing, at, -1,
         "read of register " + engine.program.register_names[reg] + ", which was never written");
  // One report is enough for all that follows from it.
  warp.initialised[reg] |= missing;
}

}  // namespace

void check_registers(Engine& engine, Warp& warp, std::int32_t at, isa::LaneMask lanes)
{
  const InstructionSite& site = engine.program.sites[at];
  for (const std::uint32_t reg : site.reads)
    check_read(engine, warp, at, reg, lanes);
  for (const std::uint32_t reg : site.writes)
    warp.initialised[reg] |= lanes;
}

void check_guarded(Engine& engine, Warp& warp, std::int32_t at, isa::LaneMask lanes, isa::LaneMask active)
{
  const std::int32_t guard = engine.program.sites[at].guard;
  if (guard >= 0) check_read(engine, warp, at, static_cast<std::uint32_t>(guard), lanes);
  if (active != 0) check_registers(engine, warp, at, active);
}

}  // namespace flashgate::gpu
