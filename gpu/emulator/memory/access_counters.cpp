#include "gpu/emulator/memory/access_counters.h"

#include <algorithm>
#include <array>
#include <bit>

namespace flashgate::gpu {
namespace {

constexpr std::uint32_t kBanks = 32;
constexpr std::uint64_t kSectorBytes = 32;

/// Passes for lanes [first, last): the most different words that one bank is asked for.
std::uint32_t passes(const LaneAddresses& addresses, isa::LaneMask lanes, std::uint32_t words)
{
  std::array<std::array<std::uint64_t, isa::kLanes>, kBanks> wanted;
  std::array<std::uint32_t, kBanks> count{};
  std::uint32_t most = 1;
  for_lanes(lanes, [&](std::uint32_t lane) {
    for (std::uint32_t k = 0; k < words; ++k) {
      const std::uint64_t word = addresses[lane] / 4 + k;
      const std::uint32_t bank = word % kBanks;
      const auto end = wanted[bank].begin() + count[bank];
      if (std::find(wanted[bank].begin(), end, word) != end) continue;
      wanted[bank][count[bank]++] = word;
      most = std::max(most, count[bank]);
    }
  });
  return most;
}

/// The common case in a few instructions: every lane has a group of banks of its own.
bool is_spread(const LaneAddresses& addresses, isa::LaneMask lanes, std::uint32_t words)
{
  std::uint32_t taken = 0;
  std::uint32_t twice = 0;
  const std::uint32_t unit = (1U << (words & 31)) - 1;
  for (isa::LaneMask rest = lanes; rest != 0; rest &= rest - 1) {
    const auto bank = static_cast<int>(addresses[__builtin_ctz(rest)] / 4 % kBanks);
    const std::uint32_t banks = std::rotl(unit, bank);
    twice |= taken & banks;
    taken |= banks;
  }
  return twice == 0;
}

}  // namespace

std::uint32_t extra_bank_passes(const LaneAddresses& addresses, isa::LaneMask lanes, std::uint32_t bytes)
{
  const std::uint32_t words = std::max(bytes / 4, 1U);
  const std::uint32_t lanes_at_once = std::max(kBanks / words, 1U);
  std::uint32_t extra = 0;
  for (std::uint32_t first = 0; first < isa::kLanes; first += lanes_at_once) {
    const isa::LaneMask group = lanes_at_once == isa::kLanes ? isa::kAllLanes : ((1U << lanes_at_once) - 1) << first;
    if (words < 32 && is_spread(addresses, lanes & group, words)) continue;
    extra += passes(addresses, lanes & group, words) - 1;
  }
  return extra;
}

std::uint32_t sectors_touched(const LaneAddresses& addresses, isa::LaneMask lanes, std::uint32_t bytes)
{
  std::array<std::uint64_t, isa::kLanes * 3> sectors;
  std::size_t count = 0;
  bool ascending = true;
  for_lanes(lanes, [&](std::uint32_t lane) {
    const std::uint64_t last = (addresses[lane] + bytes - 1) / kSectorBytes;
    for (std::uint64_t sector = addresses[lane] / kSectorBytes; sector <= last; ++sector) {
      if (count != 0 && sectors[count - 1] == sector) continue;
      ascending = ascending && (count == 0 || sectors[count - 1] < sector);
      sectors[count++] = sector;
    }
  });
  const auto end = sectors.begin() + static_cast<std::ptrdiff_t>(count);
  if (ascending) return static_cast<std::uint32_t>(count);
  std::sort(sectors.begin(), end);
  return static_cast<std::uint32_t>(std::unique(sectors.begin(), end) - sectors.begin());
}

void count_access(MemoryContext& context, const Request& request, const LaneAddresses& addresses, isa::LaneMask lanes)
{
  LaunchCounters* counters = context.counters;
  if (counters == nullptr) return;
  const std::uint64_t bytes = std::uint64_t{request.bytes} * static_cast<unsigned>(std::popcount(lanes));
  if (request.space == StateSpace::shared) {
    counters->shared_bytes += bytes;
    counters->shared_bank_conflicts += extra_bank_passes(addresses, lanes, request.bytes);
  } else if (request.space == StateSpace::global) {
    counters->global_bytes += bytes;
    counters->global_sectors += sectors_touched(addresses, lanes, request.bytes);
  }
}

}  // namespace flashgate::gpu
