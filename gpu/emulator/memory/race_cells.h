#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace flashgate::gpu {

/// Who made an access of global memory, and when, in one word: comparable long after its block ended.
/// 0 is "nobody". Agents are warps of the launch, numbered block by block.
class Epoch
{
 public:
  static constexpr int kAgentBits = 22;
  static constexpr int kClockBits = 20;
  static constexpr int kSiteBits = 15;
  static constexpr int kLaneBits = 5;

  /// How strong the access was: only two strong ones of sufficient scope don't race.
  enum class Strength : std::uint8_t { weak, cta, gpu };

  Epoch() = default;
  /// clock >= 1.
  Epoch(std::uint32_t agent, std::uint32_t clock, std::uint32_t site, std::uint32_t lane, Strength strength)
      : bits_(std::uint64_t{agent} << 42 | std::uint64_t{clock} << 22 | std::uint64_t{site} << 7 | lane << 2 |
              static_cast<std::uint64_t>(strength))
  {
  }

  bool empty() const { return bits_ == 0; }
  std::uint32_t agent() const { return static_cast<std::uint32_t>(bits_ >> 42); }
  std::uint32_t clock() const { return static_cast<std::uint32_t>(bits_ >> 22) & ((1U << kClockBits) - 1); }
  std::uint32_t site() const { return static_cast<std::uint32_t>(bits_ >> 7) & ((1U << kSiteBits) - 1); }
  std::uint32_t lane() const { return static_cast<std::uint32_t>(bits_ >> 2) & 31; }
  Strength strength() const { return static_cast<Strength>(bits_ & 3); }
  bool operator==(const Epoch&) const = default;

 private:
  std::uint64_t bits_ = 0;
};

/// The last write of a cell and two reads by different agents since: enough that a later write, whoever makes it, meets
/// a reader that is not itself.
struct RaceCell
{
  Epoch write;
  Epoch read;
  Epoch other_read;
};

/// The cells of one allocation: made in segments of 256 bytes where a launch touches it, one cell per 4 bytes, or one
/// per byte once an access covered part of a word.
class RaceCells
{
 public:
  static constexpr std::size_t kSegmentBytes = 256;

  struct Segment
  {
    std::uint32_t granule = 4;  ///< bytes per cell
    std::vector<RaceCell> cells;
  };

  /// The segment that holds `offset`, with a granule that [offset, offset + bytes) is whole cells of.
  Segment& segment(std::size_t offset, std::size_t bytes);
  void clear() { segments_.clear(); }

 private:
  std::vector<std::unique_ptr<Segment>> segments_;
};

}  // namespace flashgate::gpu
