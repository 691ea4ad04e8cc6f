#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

#include "gpu/emulator/memory/vector_clock.h"

namespace flashgate::gpu {

/// A read of shared memory by one warp: clock and site in one word that compares as a signed number.
struct ReadStamp
{
  static constexpr int kSiteBits = 12;
  static constexpr std::uint32_t kAny = 0x7FFF'FFFF;  ///< a limit that no stamp exceeds

  static constexpr std::uint32_t make(std::uint32_t clock, std::uint32_t site) { return clock << kSiteBits | site; }
  /// What every stamp of that clock is at most.
  static constexpr std::uint32_t limit(std::uint32_t clock) { return make(clock, (1U << kSiteBits) - 1); }
  static constexpr std::uint32_t site(std::uint32_t stamp) { return stamp & ((1U << kSiteBits) - 1); }
};

/// A write of shared memory in one word; 0: none since the block began.
struct WriteStamp
{
  static constexpr std::uint32_t kInFlight = 1;  ///< an asynchronous copy that was not waited for
  static constexpr std::uint32_t kStrong = 2;

  static constexpr std::uint32_t make(std::uint32_t warp, std::uint32_t clock, std::uint32_t lane, std::uint32_t flags)
  {
    return warp << 27 | clock << 7 | lane << 2 | flags;
  }
  static constexpr std::uint32_t warp(std::uint32_t stamp) { return stamp >> 27; }
  static constexpr std::uint32_t clock(std::uint32_t stamp) { return stamp >> 7 & 0xF'FFFF; }
  static constexpr std::uint32_t lane(std::uint32_t stamp) { return stamp >> 2 & 31; }
};

/// Who accesses shared memory: a lane of a warp, at an instruction.
struct SharedAgent
{
  const WarpClock* clock = nullptr;
  std::uint32_t lane = 0;
  std::uint32_t site = 0;
  bool strong = false;  ///< atomic, volatile or relaxed and stronger: two of these don't race
};

/// What an access is in conflict with.
struct SharedConflict
{
  enum class Kind : std::uint8_t {
    none,
    with_write,
    with_read,
    with_lane,  ///< of the own warp
    in_flight,
  };
  Kind kind = Kind::none;
  std::uint32_t offset = 0;  ///< of the first byte concerned
  std::uint32_t warp = 0;
  std::uint32_t lane = 0;  ///< for writes
  std::uint32_t site = 0;
};

/// Happens-before for one block's shared memory: for every word the last write, and every warp's last read.
///
/// Words are cells; a row of 16 bytes that was ever accessed by less than a word has a cell per byte instead. Reads and
/// later writes of the same warp's other lanes are not compared (reads have no lane); everything else is exact to the
/// byte, as long as clocks stand below kLastClock. *_row return false where something is not plainly in order: then
/// nothing was recorded and the general form says what it is.
class SharedRace
{
 public:
  SharedRace(std::size_t bytes, std::uint32_t warps);

  /// 16 bytes at 16 * row, by one lane and weakly.
  bool read_row(std::size_t row, const SharedAgent& agent);
  bool write_row(std::size_t row, const SharedAgent& agent, bool in_flight);
  /// 4 bytes at 4 * word, weakly.
  bool read_word(std::size_t word, const SharedAgent& agent);
  bool write_word(std::size_t word, const SharedAgent& agent);

  /// 32 words from 4 * row words on, word by word for lanes 0 to 31, weakly.
  bool read_span(std::size_t row, const SharedAgent& agent);
  bool write_span(std::size_t row, const SharedAgent& agent);

  /// Any size and place. Records the access, whatever it met; returns the first thing that it is in conflict with.
  SharedConflict read(std::size_t offset, std::size_t bytes, const SharedAgent& agent);
  SharedConflict write(std::size_t offset, std::size_t bytes, const SharedAgent& agent, bool in_flight);

  /// The agent's copy to [offset, offset + bytes) was waited for: a write made now.
  void arrived(std::size_t offset, std::size_t bytes, const SharedAgent& agent);

  /// The clock that the next block's warps begin with: all that earlier blocks did comes before.
  std::uint32_t first_clock() const { return first_clock_; }
  /// A block ended, its latest clock being `clock`. `forget`: copies may be in flight, which the next must not meet.
  void block_ended(std::uint32_t clock, bool forget);

 private:
  static constexpr std::size_t kRowBytes = 16;

  /// The cells of a row: its words or its bytes.
  struct Cells
  {
    std::uint32_t* writes = nullptr;
    std::uint16_t* write_sites = nullptr;
    std::uint32_t* reads = nullptr;  ///< of warp w and cell i: [w * count + i]
    std::uint32_t count = 4;
  };

  Cells cells(std::size_t row, std::size_t first, std::size_t last);
  void make_fine(std::size_t row);
  template <typename Visit>
  SharedConflict visit(std::size_t offset, std::size_t bytes, const Visit& visit_cell);
  SharedConflict check_write(const Cells& cells, std::uint32_t i, const SharedAgent& agent) const;
  SharedConflict check_reads(const Cells& cells, std::uint32_t i, const SharedAgent& agent) const;
  bool ordered(std::uint32_t write, const SharedAgent& agent) const
  {
    return agent.clock->before(WriteStamp::warp(write), WriteStamp::clock(write), WriteStamp::lane(write), agent.lane);
  }
  bool plain_order(std::uint32_t write, const SharedAgent& agent) const
  {
    return (write & WriteStamp::kInFlight) == 0 && ordered(write, agent);
  }
  bool span_in_order(std::size_t row, const SharedAgent& agent) const;
  void forget();

  std::uint32_t warps_;
  std::uint32_t first_clock_ = 1;
  std::vector<std::uint32_t> writes_;       // by word
  std::vector<std::uint16_t> write_sites_;  // by word
  std::vector<std::uint32_t> reads_;        // by row, warp, word of the row
  std::vector<std::uint32_t> fine_;         // by row: 1 + index into the fine rows, 0 if it has none
  std::vector<std::array<std::uint32_t, kRowBytes>> fine_writes_;
  std::vector<std::array<std::uint16_t, kRowBytes>> fine_write_sites_;
  std::vector<std::uint32_t> fine_reads_;  // by fine row, warp, byte of the row
};

inline bool SharedRace::read_row(std::size_t row, const SharedAgent& agent)
{
  const std::uint32_t* write = &writes_[4 * row];
  if (fine_[row] != 0) return false;
  const std::uint32_t first = write[0];
  const std::uint32_t differ = (write[1] ^ first) | (write[2] ^ first) | (write[3] ^ first);
  if (!plain_order(first, agent)) return false;
  if (differ != 0) {
    for (int k = 1; k < 4; ++k) {
      if (!plain_order(write[k], agent)) return false;
    }
  }
  const std::uint32_t stamp = ReadStamp::make(agent.clock->now, agent.site);
  const std::array<std::uint32_t, 4> stamps{stamp, stamp, stamp, stamp};
  std::memcpy(&reads_[4 * (row * warps_ + agent.clock->warp)], stamps.data(), sizeof stamps);
  return true;
}

inline bool SharedRace::write_row(std::size_t row, const SharedAgent& agent, bool in_flight)
{
  if (fine_[row] != 0) return false;
  std::uint32_t* write = &writes_[4 * row];
  bool good = true;
  for (int k = 0; k < 4; ++k)
    good = good && plain_order(write[k], agent);
  const std::uint32_t* read = &reads_[4 * row * warps_];
  const std::uint32_t* limit = agent.clock->read_limits.data();
  std::uint32_t beyond = 0;
  for (std::uint32_t i = 0; i < 4 * warps_; ++i)
    beyond |= limit[i] - read[i];
  if (!good || (beyond >> 31) != 0) return false;
  const std::uint32_t flags = in_flight ? WriteStamp::kInFlight : 0;
  const std::uint32_t stamp = WriteStamp::make(agent.clock->warp, agent.clock->now, agent.lane, flags);
  const auto site = static_cast<std::uint16_t>(agent.site);
  const std::array<std::uint32_t, 4> stamps{stamp, stamp, stamp, stamp};
  const std::array<std::uint16_t, 4> sites{site, site, site, site};
  std::memcpy(write, stamps.data(), sizeof stamps);
  std::memcpy(&write_sites_[4 * row], sites.data(), sizeof sites);
  return true;
}

inline bool SharedRace::read_word(std::size_t word, const SharedAgent& agent)
{
  const std::size_t row = word / 4;
  if (fine_[row] != 0 || !plain_order(writes_[word], agent)) return false;
  reads_[4 * (row * warps_ + agent.clock->warp) + word % 4] = ReadStamp::make(agent.clock->now, agent.site);
  return true;
}

inline bool SharedRace::write_word(std::size_t word, const SharedAgent& agent)
{
  const std::size_t row = word / 4;
  if (fine_[row] != 0 || !plain_order(writes_[word], agent)) return false;
  const std::uint32_t* read = &reads_[4 * row * warps_ + word % 4];
  const std::uint32_t* limit = agent.clock->read_limits.data();
  std::uint32_t beyond = 0;
  for (std::uint32_t w = 0; w < warps_; ++w)
    beyond |= limit[4 * w] - read[4 * w];
  if ((beyond >> 31) != 0) return false;
  writes_[word] = WriteStamp::make(agent.clock->warp, agent.clock->now, agent.lane, 0);
  write_sites_[word] = static_cast<std::uint16_t>(agent.site);
  return true;
}

}  // namespace flashgate::gpu
