#include <fmt/format.h>

#include "gpu/emulator/memory/access_checks.h"
#include "gpu/emulator/memory/access_report.h"

namespace flashgate::gpu {
namespace {

std::string_view verb(bool is_write) { return is_write ? "write" : "read"; }

std::string shared_detail(const SharedConflict& found, bool is_write)
{
  const std::string what = fmt::format("{} of smem+{}", verb(is_write), found.offset);
  switch (found.kind) {
    case SharedConflict::Kind::in_flight:
      return fmt::format("{} while the copy to it by warp {} lane {} was not waited for", what, found.warp, found.lane);
    case SharedConflict::Kind::with_lane:
      return fmt::format("{} after a write by lane {} of the same warp, with nothing that orders the two", what,
                         found.lane);
    case SharedConflict::Kind::with_read:
      return fmt::format("{} after an unordered read by warp {}", what, found.warp);
    default:
      return fmt::format("{} after an unordered write by warp {} lane {}", what, found.warp, found.lane);
  }
}

}  // namespace

void AccessChecks::uninitialised(Check check, std::uint32_t lane)
{
  report(warp_, check, instruction_, -1, isa::LaneMask{1} << lane, [&] {
    return fmt::format("read of {} bytes at {}, not all of which were written", request_.bytes, place(lane));
  });
}

std::string AccessChecks::place(std::uint32_t lane) const
{
  if (request_.space == StateSpace::shared) return fmt::format("smem+{}", shared_offset(lane));
  if (request_.space == StateSpace::local) {
    const auto offset = static_cast<std::size_t>(pointers_.at[lane] - warp_.memory.local.data());
    return fmt::format("local+{}", offset - lane * warp_.memory.local_bytes);
  }
  const Allocation& memory = allocation(lane);
  return fmt::format("{}+{}", memory.name, pointers_.at[lane] - memory.data());
}

void AccessChecks::conflict(const SharedConflict& found, std::uint32_t lane, bool is_write)
{
  if (found.kind == SharedConflict::Kind::none) return;
  const Check check = found.kind == SharedConflict::Kind::in_flight ? Check::async_read : Check::race_shared;
  report(warp_, check, instruction_, warp_.context->sites.instruction(found.site), isa::LaneMask{1} << lane,
         [&] { return shared_detail(found, is_write); });
}

void AccessChecks::conflict(const GlobalConflict& found, std::uint32_t lane, bool is_write)
{
  if (found.kind == GlobalConflict::Kind::none) return;
  const MemoryContext& context = *warp_.context;
  report(warp_, Check::race_global, instruction_, context.sites.instruction(found.other.site()),
         isa::LaneMask{1} << lane, [&] {
           const bool after_read = found.kind == GlobalConflict::Kind::with_read;
           return fmt::format("{} of {}+{} after an unordered {} by block {} warp {} lane {}", verb(is_write),
                              allocation(lane).name, found.offset, verb(!after_read),
                              found.other.agent() / context.warps_per_block,
                              found.other.agent() % context.warps_per_block, found.other.lane());
         });
}

}  // namespace flashgate::gpu
