#include "gpu/emulator/memory/lane_pointers.h"

#include "gpu/emulator/memory/access_report.h"

namespace flashgate::gpu {
namespace {

/// What answers loads out of bounds, and takes stores. Nobody reads what was stored.
constexpr std::size_t kLongestAccess = 64;

struct Nowhere
{
  std::array<std::byte, kLongestAccess> poison;
  std::array<std::byte, kLongestAccess> sink{};
  Nowhere() { poison.fill(kPoison); }
};

std::byte* nowhere(bool is_write)
{
  thread_local Nowhere bytes;
  return is_write ? bytes.sink.data() : bytes.poison.data();
}

/// A range of addresses that accesses may begin at, and where its bytes are.
struct Region
{
  std::uint64_t first = 0;
  std::uint64_t last = 0;  ///< below `first` if it is too small for the access
  std::uint64_t base = 0;  ///< a number: out of bounds it may become anything; 0 if there is no such memory
  std::uint64_t lane_stride = 0;
  Allocation* allocation = nullptr;
};

Region make_region(std::uint64_t first, std::size_t size, std::uint32_t bytes, const std::byte* base,
                   std::uint64_t lane_stride)
{
  return {first, first + size - bytes, reinterpret_cast<std::uint64_t>(base), lane_stride, nullptr};
}

/// The region of a space; of global memory, the allocation that `address` is in. Parameters can't be written.
Region region_of(const MemoryWarp& warp, const Request& request, std::uint64_t address, std::int32_t hint)
{
  const std::uint64_t first = request.is_generic ? window_of(request.space) : 0;
  const WarpMemory& own = warp.memory;
  const MemoryContext& context = *warp.context;
  switch (request.space) {
    case StateSpace::shared: {
      const auto& shared = warp.block_memory->shared;
      return make_region(first, shared.size(), request.bytes, shared.data(), 0);
    }
    case StateSpace::local:
      return make_region(first, own.local_bytes, request.bytes, own.local.data(), own.local_bytes);
    case StateSpace::param:
      if (request.is_write) return {};
      return make_region(first, context.parameters.size(), request.bytes, context.parameters.data(), 0);
    default:
      break;
  }
  Allocation* found = context.global->find(address, request.bytes, static_cast<std::uint32_t>(hint));
  if (found == nullptr || (request.is_write && found->read_only)) return {};
  Region region = make_region(found->base, found->bytes, request.bytes, found->data(), 0);
  region.allocation = found;
  return region;
}

/// True if all lanes lie in the region. No branches, so that it becomes vector code: an address below or above leaves
/// the sign bit.
bool point_into(const Region& region, const LaneAddresses& addresses, LanePointers& pointers)
{
  std::uint64_t outside = 0;
  for (std::size_t lane = 0; lane < isa::kLanes; ++lane) {
    const std::uint64_t offset = addresses[lane] - region.first;
    outside |= offset | (region.last - addresses[lane]);
    pointers.at[lane] = reinterpret_cast<std::byte*>(region.base + offset + lane * region.lane_stride);
  }
  return (outside >> 63) == 0;
}

bool lies_in(const Region& region, std::uint64_t address)
{
  return ((address - region.first) | (region.last - address)) >> 63 == 0;
}

std::string explain_global(const MemoryWarp& warp, const Request& request, std::uint64_t address)
{
  const GlobalMemory& global = *warp.context->global;
  const Allocation* found = global.find(address, request.bytes);
  if (found != nullptr) return found->name + ", which is constant";
  return global.explain(address, request.bytes);
}

std::string explain_offset(const MemoryWarp& warp, const Request& request, std::uint64_t address)
{
  const bool local = request.space == StateSpace::local;
  const bool param = request.space == StateSpace::param;
  const std::uint64_t offset = address - (request.is_generic ? window_of(request.space) : 0);
  const std::size_t size = local   ? warp.memory.local_bytes
                           : param ? warp.context->parameters.size()
                                   : warp.block_memory->shared.size();
  const std::string where = local ? "local memory" : param ? "the parameters" : "shared memory";
  if (param && request.is_write) return "the parameters, which are constant";
  const std::string ends = std::to_string(size) + " bytes of " + where;
  if (offset >= std::uint64_t{1} << 40) return "address " + hex(address) + ", which is not in the " + ends;
  return "offset " + std::to_string(offset) + ", " + std::to_string(offset + request.bytes - size) +
         " bytes past the end of the " + ends;
}

void report_outside(MemoryWarp& warp, const isa::Instruction& instruction, const Request& request, isa::LaneMask lanes,
                    std::uint64_t address)
{
  report(warp, Check::out_of_bounds, instruction, -1, lanes, [&] {
    const bool global = request.space == StateSpace::global || request.space == StateSpace::constant;
    return std::string(request.is_write ? "write of " : "read of ") + std::to_string(request.bytes) +
           " bytes: " + (global ? explain_global(warp, request, address) : explain_offset(warp, request, address));
  });
}

/// Lane by lane, where they do not all lie in one region.
void locate_each(MemoryWarp& warp, const isa::Instruction& instruction, isa::LaneMask mask, const Request& request,
                 const LaneAddresses& addresses, LanePointers& pointers)
{
  isa::LaneMask outside = 0;
  pointers.allocation = nullptr;
  pointers.at.fill(nowhere(request.is_write));
  for_lanes(mask, [&](std::uint32_t lane) {
    const Region region = region_of(warp, request, addresses[lane], instruction.index);
    if (region.base != 0 && lies_in(region, addresses[lane])) {
      const std::uint64_t offset = addresses[lane] - region.first;
      pointers.at[lane] = reinterpret_cast<std::byte*>(region.base + offset + lane * region.lane_stride);
    } else {
      outside |= isa::LaneMask{1} << lane;
    }
  });
  pointers.good = mask & ~outside;
  if (outside != 0) report_outside(warp, instruction, request, outside, addresses[__builtin_ctz(outside)]);
}

template <typename T>
void widen(const MemoryWarp& warp, const isa::Instruction& instruction, LaneAddresses& addresses)
{
  const T* base = warp.lanes<T>(instruction.slot[kAddressSlot]);
  const T offset = static_cast<T>(instruction.immediate);
  for (std::size_t lane = 0; lane < isa::kLanes; ++lane)
    addresses[lane] = static_cast<T>(base[lane] + offset);
}

}  // namespace

void read_addresses(const MemoryWarp& warp, const isa::Instruction& instruction, bool wide, isa::LaneMask mask,
                    LaneAddresses& addresses)
{
  if (instruction.slot[kAddressSlot] == isa::kNoSlot) {
    addresses.fill(instruction.immediate);
  } else if (wide) {
    widen<std::uint64_t>(warp, instruction, addresses);
  } else {
    widen<std::uint32_t>(warp, instruction, addresses);
  }
  if (mask == isa::kAllLanes) return;
  const std::uint64_t first = addresses[__builtin_ctz(mask)];
  for (std::size_t lane = 0; lane < isa::kLanes; ++lane)
    addresses[lane] = (mask >> lane & 1U) != 0 ? addresses[lane] : first;
}

void locate(MemoryWarp& warp, const isa::Instruction& instruction, isa::LaneMask mask, const Request& request,
            const LaneAddresses& addresses, LanePointers& pointers)
{
  const Region region = region_of(warp, request, addresses[__builtin_ctz(mask)], instruction.index);
  pointers.good = mask;
  pointers.allocation = region.allocation;
  if (region.base == 0 || !point_into(region, addresses, pointers)) {
    locate_each(warp, instruction, mask, request, addresses, pointers);
  }
}

}  // namespace flashgate::gpu
