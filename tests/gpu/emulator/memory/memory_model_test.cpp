#include <algorithm>
#include <deque>
#include <map>

#include <doctest/doctest.h>
#include <rapidcheck.h>

#include "tests/gpu/emulator/memory/memory_fixture.h"

/// The checked paths against a model that knows no tricks: byte by byte, a full vector clock for every access.
namespace flashgate::gpu {
namespace {

constexpr std::uint32_t kWarps = 3;
constexpr std::uint32_t kBytes = 64;
constexpr isa::LaneMask kLane0 = 1;

struct Step
{
  enum class Kind : std::uint8_t { load, store, add, barrier, arrive_and_wait } kind = Kind::load;
  std::uint32_t warp = 0;
  std::uint32_t other = 1;
  std::uint32_t offset = 0;
  std::uint32_t bytes = 4;
};

Step drawn_step()
{
  Step step;
  step.kind = static_cast<Step::Kind>(*rc::gen::weightedElement<int>({{4, 0}, {4, 1}, {1, 2}, {1, 3}, {2, 4}}));
  step.warp = *rc::gen::inRange(0U, kWarps);
  step.other = (step.warp + *rc::gen::inRange(1U, kWarps)) % kWarps;
  step.bytes = step.kind == Step::Kind::add ? 4U : *rc::gen::element(1U, 2U, 4U, 8U, 16U);
  step.offset = *rc::gen::inRange(0U, kBytes / step.bytes) * step.bytes;
  return step;
}

/// Happens-before by bytes. Lane 0 is the only one, so that a warp is a thread.
class Model
{
 public:
  enum class Race : std::uint8_t { none, with_read, with_write };

  /// `writes_clear_reads`: a read is forgotten once it was written over.
  explicit Model(bool writes_clear_reads) : writes_clear_reads_(writes_clear_reads) {}

  /// What the access is in conflict with: the last write of its bytes, or reads.
  Race access(const Step& step)
  {
    Race worst = Race::none;
    for (std::uint32_t i = step.offset; i < step.offset + step.bytes; ++i)
      worst = std::max(worst, byte(step, bytes_[i]));
    return worst;
  }

  void barrier()
  {
    Clock all{};
    for (const Clock& c : clocks_)
      join(all, c);
    for (std::uint32_t w = 0; w < kWarps; ++w) {
      join(clocks_[w], all);
      ++clocks_[w][w];
    }
  }

  void arrive_and_wait(std::uint32_t from, std::uint32_t to)
  {
    join(clocks_[to], clocks_[from]);
    ++clocks_[from][from];
    ++clocks_[to][to];
  }

 private:
  using Clock = std::array<std::uint32_t, kWarps>;
  struct Byte
  {
    bool written = false;
    bool strong = false;
    std::uint32_t writer = 0;
    std::uint32_t written_at = 0;
    std::map<std::uint32_t, std::uint32_t> reads;  ///< by warp
  };

  static void join(Clock& a, const Clock& b)
  {
    for (std::uint32_t w = 0; w < kWarps; ++w)
      a[w] = std::max(a[w], b[w]);
  }

  Race byte(const Step& step, Byte& byte)
  {
    const Clock& now = clocks_[step.warp];
    const bool strong = step.kind == Step::Kind::add;
    const bool unordered = byte.written && byte.writer != step.warp && byte.written_at > now[byte.writer];
    Race race = unordered && !(strong && byte.strong) ? Race::with_write : Race::none;
    if (step.kind == Step::Kind::load) {
      byte.reads[step.warp] = now[step.warp];
      return race;
    }
    for (const auto& [reader, at] : byte.reads) {
      if (reader != step.warp && at > now[reader]) race = std::max(race, Race::with_read);
    }
    if (writes_clear_reads_) byte.reads.clear();
    byte.written = true;
    byte.strong = strong;
    byte.writer = step.warp;
    byte.written_at = now[step.warp];
    return race;
  }

  bool writes_clear_reads_;
  std::array<Byte, kBytes> bytes_;
  std::array<Clock, kWarps> clocks_ = [] {
    std::array<Clock, kWarps> clocks{};
    for (std::uint32_t w = 0; w < kWarps; ++w)
      clocks[w][w] = 1;
    return clocks;
  }();
};

/// Runs step number `i` on the real thing. Every store has a byte of its own, so that none is silent; adds add 0.
void perform(MemoryFixture& f, int i, const Step& step, std::uint64_t base, StateSpace space)
{
  MemoryWarp& warp = f.warp(step.warp);
  const auto addresses = strided(base + step.offset, 0);
  const auto element = static_cast<std::uint8_t>(std::min(step.bytes, 8U));
  const auto count = static_cast<std::uint8_t>(step.bytes / element);
  switch (step.kind) {
    case Step::Kind::load:
      f.access(warp, load_form(space, element, count), addresses, kLane0);
      break;
    case Step::Kind::store: {
      const std::uint64_t value = static_cast<std::uint64_t>(i + 1) * 0x0101'0101'0101'0101ULL;
      for (std::uint32_t k = 0; k < count; ++k)
        std::memcpy(f.lanes<std::byte>(warp, k), &value, element);
      f.access(warp, store_form(space, element, count), addresses, kLane0);
      break;
    }
    case Step::Kind::add:
      f.lanes<std::uint32_t>(warp, 1)[0] = 0;
      f.access(warp, add_form(space), addresses, kLane0);
      break;
    case Step::Kind::barrier:
      f.barrier();
      break;
    case Step::Kind::arrive_and_wait:
      barrier_arrive(f.warp(step.warp), 1, isa::kAllLanes);
      barrier_arrive(f.warp(step.other), 1, isa::kAllLanes);
      barrier_complete(f.block(), 1);
      barrier_resume(f.warp(step.other), 1, isa::kAllLanes);
      break;
  }
}

Model::Race predict(Model& model, const Step& step)
{
  switch (step.kind) {
    case Step::Kind::barrier:
      model.barrier();
      return Model::Race::none;
    case Step::Kind::arrive_and_wait:
      model.arrive_and_wait(step.warp, step.other);
      return Model::Race::none;
    default:
      return model.access(step);
  }
}

std::uint64_t total(const FindingLog& log)
{
  std::uint64_t sum = log.dropped();
  for (const Finding& finding : log.findings())
    sum += finding.count;
  return sum;
}

}  // namespace

TEST_CASE("race reports in shared memory are the byte-by-byte model's, access by access")
{
  const bool passed = rc::check("shared races", [] {
    MemoryFixture f({.checks = parse_checks("race"), .warps = kWarps, .shared_bytes = kBytes});
    Model model(false);
    const int steps = *rc::gen::inRange(5, 60);
    for (int i = 0; i < steps; ++i) {
      const Step step = drawn_step();
      const std::uint64_t before = total(f.findings);
      perform(f, i, step, 0, StateSpace::shared);
      RC_ASSERT((total(f.findings) != before) == (predict(model, step) != Model::Race::none));
    }
  });
  CHECK(passed);
}

TEST_CASE("race reports in global memory are the byte-by-byte model's, but for a third reader")
{
  const bool passed = rc::check("global races", [] {
    MemoryFixture f({.checks = parse_checks("race"), .warps = kWarps, .shared_bytes = kBytes});
    const std::uint64_t data = f.global.allocate(kBytes, "data");
    Model model(true);
    const int steps = *rc::gen::inRange(5, 60);
    for (int i = 0; i < steps; ++i) {
      const Step step = drawn_step();
      const std::uint64_t before = total(f.findings);
      perform(f, i, step, data, StateSpace::global);
      const bool reported = total(f.findings) != before;
      const Model::Race expected = predict(model, step);
      // Nothing is invented, and no write is missed; of three unordered reads one is not remembered.
      if (reported) RC_ASSERT(expected != Model::Race::none);
      if (expected == Model::Race::with_write) RC_ASSERT(reported);
    }
  });
  CHECK(passed);
}

TEST_CASE("checked and unchecked handlers move the same bytes for any form, mask and address")
{
  const bool passed = rc::check("values", [] {
    std::array<std::unique_ptr<MemoryFixture>, 2> fixtures;
    std::array<std::uint64_t, 2> base{};
    const auto bytes = static_cast<std::uint8_t>(*rc::gen::element(1, 2, 4, 8));
    const auto count = static_cast<std::uint8_t>(*rc::gen::element(1, 2, 4));
    const auto mask = *rc::gen::inRange<isa::LaneMask>(1, 0xFFFF'FFFFU);
    const bool is_store = *rc::gen::arbitrary<bool>();
    MemoryFixture::Lanes<std::uint64_t> offsets{};
    for (std::uint64_t& offset : offsets)
      offset = *rc::gen::inRange(0, 300);
    for (std::size_t i = 0; i < 2; ++i) {
      fixtures[i] = std::make_unique<MemoryFixture>(FixtureOptions{.shared_bytes = 256});
      MemoryFixture& f = *fixtures[i];
      f.checked = i == 1;
      base[i] = f.global.allocate(256, "data");
      for (std::size_t b = 0; b < 256; ++b)
        f.global.fill(base[i] + b, static_cast<std::byte>(b * 7), 1);
      for (std::size_t b = 0; b < 8192; ++b)
        f.warp(0).values[b] = static_cast<std::byte>(b * 13 + b / 256);
      MemoryFixture::Lanes<std::uint64_t> addresses = offsets;
      for (std::uint64_t& address : addresses)
        address += base[i];
      const MemoryForm form =
          is_store ? store_form(StateSpace::generic, bytes, count) : load_form(StateSpace::generic, bytes, count);
      f.access(f.warp(0), form, addresses, mask);
    }
    RC_ASSERT(std::memcmp(fixtures[0]->warp(0).values, fixtures[1]->warp(0).values, 8192) == 0);
    RC_ASSERT(std::memcmp(reinterpret_cast<void*>(base[0]), reinterpret_cast<void*>(base[1]), 256) == 0);
    RC_ASSERT(fixtures[0]->count(Check::out_of_bounds) == fixtures[1]->count(Check::out_of_bounds));
  });
  CHECK(passed);
}

}  // namespace flashgate::gpu
