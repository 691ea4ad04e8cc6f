#include "gpu/emulator/memory/shared_race.h"

#include <algorithm>

namespace flashgate::gpu {
namespace {

using Kind = SharedConflict::Kind;

/// Half the clock's range is left to a block; a longer one meets kLastClock.
constexpr std::uint32_t kNewBeginning = kLastClock / 2;

}  // namespace

SharedRace::SharedRace(std::size_t bytes, std::uint32_t warps) : warps_(warps)
{
  const std::size_t rows = (bytes + kRowBytes - 1) / kRowBytes;
  writes_.resize(4 * rows);
  write_sites_.resize(4 * rows);
  reads_.resize(4 * rows * warps);
  fine_.resize(rows);
}

void SharedRace::make_fine(std::size_t row)
{
  const std::size_t fine = fine_writes_.size();
  fine_[row] = static_cast<std::uint32_t>(fine + 1);
  fine_writes_.emplace_back();
  fine_write_sites_.emplace_back();
  fine_reads_.resize((fine + 1) * warps_ * kRowBytes);
  for (std::size_t byte = 0; byte < kRowBytes; ++byte) {
    fine_writes_[fine][byte] = writes_[4 * row + byte / 4];
    fine_write_sites_[fine][byte] = write_sites_[4 * row + byte / 4];
    for (std::size_t w = 0; w < warps_; ++w) {
      fine_reads_[(fine * warps_ + w) * kRowBytes + byte] = reads_[4 * (row * warps_ + w) + byte / 4];
    }
  }
}

/// The cells of `row` for an access of its bytes [first, last).
SharedRace::Cells SharedRace::cells(std::size_t row, std::size_t first, std::size_t last)
{
  if (fine_[row] == 0 && (first % 4 != 0 || last % 4 != 0)) make_fine(row);
  if (fine_[row] == 0) return {&writes_[4 * row], &write_sites_[4 * row], &reads_[4 * row * warps_], 4};
  const std::size_t fine = fine_[row] - 1;
  return {fine_writes_[fine].data(), fine_write_sites_[fine].data(), &fine_reads_[fine * warps_ * kRowBytes],
          kRowBytes};
}

template <typename Visit>
SharedConflict SharedRace::visit(std::size_t offset, std::size_t bytes, const Visit& visit_cell)
{
  SharedConflict first;
  const std::size_t end = offset + bytes;
  for (std::size_t row = offset / kRowBytes; row * kRowBytes < end; ++row) {
    const std::size_t from = std::max(offset, row * kRowBytes) - row * kRowBytes;
    const std::size_t to = std::min(end, (row + 1) * kRowBytes) - row * kRowBytes;
    const Cells row_cells = cells(row, from, to);
    const std::size_t width = kRowBytes / row_cells.count;
    for (std::size_t i = from / width; i < to / width; ++i) {
      SharedConflict conflict = visit_cell(row_cells, static_cast<std::uint32_t>(i));
      conflict.offset = static_cast<std::uint32_t>(row * kRowBytes + i * width);
      if (first.kind == Kind::none) first = conflict;
    }
  }
  return first;
}

SharedConflict SharedRace::check_write(const Cells& cells, std::uint32_t i, const SharedAgent& agent) const
{
  const std::uint32_t write = cells.writes[i];
  SharedConflict conflict;
  conflict.warp = WriteStamp::warp(write);
  conflict.lane = WriteStamp::lane(write);
  conflict.site = cells.write_sites[i];
  if ((write & WriteStamp::kInFlight) != 0) {
    conflict.kind = Kind::in_flight;
  } else if (!(agent.strong && (write & WriteStamp::kStrong) != 0) && !ordered(write, agent)) {
    conflict.kind = conflict.warp == agent.clock->warp ? Kind::with_lane : Kind::with_write;
  }
  return conflict;
}

SharedConflict SharedRace::check_reads(const Cells& cells, std::uint32_t i, const SharedAgent& agent) const
{
  SharedConflict conflict;
  for (std::uint32_t w = 0; w < warps_; ++w) {
    const std::uint32_t read = cells.reads[w * cells.count + i];
    if (read <= agent.clock->read_limits[4 * w]) continue;
    conflict.kind = Kind::with_read;
    conflict.warp = w;
    conflict.site = ReadStamp::site(read);
    break;
  }
  return conflict;
}

/// True if one warp wrote all words of the span, and all of them before this, or the same lanes that come now. Vector
/// code: no branches within.
bool SharedRace::span_in_order(std::size_t row, const SharedAgent& agent) const
{
  const std::uint32_t* write = &writes_[4 * row];
  const std::uint32_t first = write[0];
  const std::uint32_t writer = WriteStamp::warp(first);
  const std::uint32_t limit = agent.clock->known.seen[writer];
  const std::uint32_t own = writer == agent.clock->warp ? 1 : 0;
  std::uint32_t differ = 0;
  std::uint32_t late = 0;
  for (std::uint32_t i = 0; i < isa::kLanes; ++i) {
    differ |= (write[i] ^ first) >> 27 | (write[i] & WriteStamp::kInFlight);
    const std::uint32_t same_lane = own & static_cast<std::uint32_t>(WriteStamp::lane(write[i]) == i);
    late |= (limit - WriteStamp::clock(write[i])) & (same_lane - 1);
  }
  std::uint32_t fine = 0;
  for (std::size_t r = 0; r < isa::kLanes / 4; ++r)
    fine |= fine_[row + r];
  return (differ | late >> 31 | fine) == 0;
}

bool SharedRace::read_span(std::size_t row, const SharedAgent& agent)
{
  if (!span_in_order(row, agent)) return false;
  const std::uint32_t stamp = ReadStamp::make(agent.clock->now, agent.site);
  std::uint32_t* read = &reads_[4 * (row * warps_ + agent.clock->warp)];
  for (std::size_t r = 0; r < isa::kLanes / 4; ++r) {
    for (std::size_t k = 0; k < 4; ++k)
      read[4 * r * warps_ + k] = stamp;
  }
  return true;
}

bool SharedRace::write_span(std::size_t row, const SharedAgent& agent)
{
  if (!span_in_order(row, agent)) return false;
  const std::uint32_t* read = &reads_[4 * row * warps_];
  const std::uint32_t* limit = agent.clock->read_limits.data();
  const std::size_t width = 4 * std::size_t{warps_};
  std::uint32_t beyond = 0;
  for (std::size_t r = 0; r < isa::kLanes / 4; ++r) {
    for (std::size_t i = 0; i < width; ++i)
      beyond |= limit[i] - read[r * width + i];
  }
  if ((beyond >> 31) != 0) return false;
  const std::uint32_t stamp = WriteStamp::make(agent.clock->warp, agent.clock->now, 0, 0);
  const auto site = static_cast<std::uint16_t>(agent.site);
  for (std::uint32_t lane = 0; lane < isa::kLanes; ++lane)
    writes_[4 * row + lane] = stamp | lane << 2;
  std::fill_n(&write_sites_[4 * row], isa::kLanes, site);
  return true;
}

SharedConflict SharedRace::read(std::size_t offset, std::size_t bytes, const SharedAgent& agent)
{
  return visit(offset, bytes, [&](const Cells& at, std::uint32_t i) {
    // A strong read is left out: strong writes may follow it, and a stamp doesn't tell the two kinds apart.
    if (!agent.strong) {
      at.reads[agent.clock->warp * at.count + i] = ReadStamp::make(agent.clock->now, agent.site);
    }
    return check_write(at, i, agent);
  });
}

SharedConflict SharedRace::write(std::size_t offset, std::size_t bytes, const SharedAgent& agent, bool in_flight)
{
  const std::uint32_t flags = (in_flight ? WriteStamp::kInFlight : 0) | (agent.strong ? WriteStamp::kStrong : 0);
  const std::uint32_t stamp = WriteStamp::make(agent.clock->warp, agent.clock->now, agent.lane, flags);
  return visit(offset, bytes, [&](const Cells& at, std::uint32_t i) {
    SharedConflict conflict = check_write(at, i, agent);
    if (conflict.kind == Kind::none) conflict = check_reads(at, i, agent);
    at.writes[i] = stamp;
    at.write_sites[i] = static_cast<std::uint16_t>(agent.site);
    return conflict;
  });
}

void SharedRace::arrived(std::size_t offset, std::size_t bytes, const SharedAgent& agent)
{
  const std::uint32_t stamp = WriteStamp::make(agent.clock->warp, agent.clock->now, agent.lane, 0);
  const std::size_t row = offset / kRowBytes;
  if (bytes == kRowBytes && offset % kRowBytes == 0 && fine_[row] == 0) {
    const std::uint32_t mine = agent.clock->warp << 27 | WriteStamp::kInFlight;
    for (std::size_t word = 4 * row; word < 4 * row + 4; ++word) {
      if ((writes_[word] & (31U << 27 | WriteStamp::kInFlight)) == mine) writes_[word] = stamp;
    }
    return;
  }
  visit(offset, bytes, [&](const Cells& at, std::uint32_t i) {
    const std::uint32_t write = at.writes[i];
    const bool own = (write & WriteStamp::kInFlight) != 0 && WriteStamp::warp(write) == agent.clock->warp;
    if (own) at.writes[i] = stamp;
    return SharedConflict{};
  });
}

void SharedRace::block_ended(std::uint32_t clock, bool forget_all)
{
  first_clock_ = clock + 1;
  if (forget_all || first_clock_ > kNewBeginning) forget();
}

void SharedRace::forget()
{
  first_clock_ = 1;
  std::fill(writes_.begin(), writes_.end(), 0);
  std::fill(reads_.begin(), reads_.end(), 0);
  std::fill(fine_.begin(), fine_.end(), 0);
  fine_writes_.clear();
  fine_write_sites_.clear();
  fine_reads_.clear();
}

}  // namespace flashgate::gpu
