#include "form_run.h"

#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <memory>

#include <doctest/doctest.h>

namespace flashgate::gpu::isa {
namespace {

constexpr std::size_t kSlotBytes = kLanes * sizeof(std::uint64_t);
constexpr std::size_t kAlignment = 64;

std::uint64_t low_bytes(std::uint64_t bits, int bytes)
{
  return bytes == 8 ? bits : bits & ((std::uint64_t{1} << 8 * bytes) - 1);
}

std::uint64_t special_float(std::mt19937_64& random, int bytes)
{
  static constexpr std::array<std::uint64_t, 14> kHalves = {0x0000, 0x8000, 0x0001, 0x03FF, 0x0400, 0x7BFF, 0x7C00,
                                                            0xFC00, 0x7E01, 0x3C00, 0xBC00, 0x3F80, 0x7F80, 0x7FC1};
  static constexpr std::array<std::uint64_t, 16> kSingles = {
      0x00000000, 0x80000000, 0x00000001, 0x807FFFFF, 0x00800000, 0x7F7FFFFF, 0x7F800000, 0xFF800000,
      0x7FC00001, 0xFFFFFFFF, 0x3F800000, 0xBF800000, 0x3F000000, 0x4F000000, 0xCF000000, 0x4B7FFFFF};
  static constexpr std::array<std::uint64_t, 12> kDoubles = {
      0x0000000000000000, 0x8000000000000000, 0x0000000000000001, 0x000FFFFFFFFFFFFF,
      0x0010000000000000, 0x7FEFFFFFFFFFFFFF, 0x7FF0000000000000, 0xFFF0000000000000,
      0x7FF8000000000001, 0x3FF0000000000000, 0xC3E0000000000000, 0x41DFFFFFFFE00000};
  if (bytes == 2) return kHalves[random() % kHalves.size()];
  if (bytes == 4)
    return random() % 2 ? kSingles[random() % kSingles.size()]
                        : kHalves[random() % kHalves.size()] << 16 | kHalves[random() % kHalves.size()];
  return kDoubles[random() % kDoubles.size()];
}

/// A number around 1, where sums and products of two are of similar size.
std::uint64_t moderate_float(std::mt19937_64& random, int bytes)
{
  const double value =
      std::ldexp(static_cast<double>(static_cast<std::int64_t>(random())), -63 + static_cast<int>(random() % 9) - 4);
  if (bytes == 8) return std::bit_cast<std::uint64_t>(value);
  const std::uint32_t single = std::bit_cast<std::uint32_t>(static_cast<float>(value));
  return bytes == 4 ? single : random() % 2 ? single >> 16 : (0x3000 + random() % 0x1000) ^ (random() % 2 << 15);
}

}  // namespace

std::uint64_t interesting_value(std::mt19937_64& random, int bytes)
{
  switch (random() % 8) {
    case 0:
      return low_bytes(random() % 80, bytes);
    case 1:
      return low_bytes(0 - random() % 4, bytes);
    case 2:
      return low_bytes((std::uint64_t{1} << (8 * bytes - 1)) + random() % 3 - 1, bytes);
    case 3:
      return low_bytes(special_float(random, bytes), bytes);
    case 4:
    case 5:
      return low_bytes(moderate_float(random, bytes), bytes);
    default:
      return low_bytes(random(), bytes);
  }
}

FormRun::FormRun(const Form& form)
    : form_(form),
      operands_(operands(form)),
      values_((operands_.size() * kSlotBytes + kAlignment) / sizeof(std::uint64_t)),
      predicates_(operands_.size())
{
  for (std::size_t k = 0; k < operands_.size(); ++k)
    instruction_.slot[k] = static_cast<std::uint32_t>(operands_[k].bytes == 0 ? k : k * kSlotBytes);
}

std::uint64_t FormRun::value(int operand, int lane) const
{
  const Operand& described = operands_[static_cast<std::size_t>(operand)];
  if (described.bytes == 0) return predicate(operand) >> lane & 1;
  std::uint64_t bits = 0;
  const char* const slot =
      reinterpret_cast<const char*>(values_.data()) + static_cast<std::size_t>(operand) * kSlotBytes;
  std::memcpy(&bits, slot + lane * described.bytes, static_cast<std::size_t>(described.bytes));
  return bits;
}

void FormRun::set(int operand, int lane, std::uint64_t bits)
{
  const Operand& described = operands_[static_cast<std::size_t>(operand)];
  char* const slot = reinterpret_cast<char*>(values_.data()) + static_cast<std::size_t>(operand) * kSlotBytes;
  std::memcpy(slot + lane * described.bytes, &bits, static_cast<std::size_t>(described.bytes));
}

void FormRun::randomise(std::mt19937_64& random)
{
  for (int k = 0; k < static_cast<int>(operands_.size()); ++k) {
    set_predicate(k, static_cast<LaneMask>(random()));
    const int bytes = operands_[static_cast<std::size_t>(k)].bytes;
    for (int lane = 0; bytes != 0 && lane < kLanes; ++lane)
      set(k, lane, interesting_value(random, bytes));
  }
}

void FormRun::run(Core core, LaneMask mask)
{
  const Handler handler = find_handler(core, form_);
  const bool found = handler != nullptr;
  REQUIRE_MESSAGE(found, describe(form_), " on ", std::string(core_name(core)));
  // Copied to aligned memory and back: slots are aligned to 64 bytes by contract.
  std::vector<std::byte> memory(values_.size() * sizeof(std::uint64_t) + kAlignment);
  void* aligned = memory.data();
  std::size_t space = memory.size();
  const std::size_t bytes = values_.size() * sizeof(std::uint64_t);
  std::align(kAlignment, bytes, aligned, space);
  std::memcpy(aligned, values_.data(), bytes);
  Registers registers{static_cast<std::byte*>(aligned), predicates_.data()};
  handler(registers, instruction_, mask);
  std::memcpy(values_.data(), aligned, bytes);
}

bool FormRun::same_registers(const FormRun& other) const
{
  return values_ == other.values_ && predicates_ == other.predicates_;
}

const std::vector<Core>& available_cores()
{
  static const std::vector<Core> found = [] {
    std::vector<Core> cores;
    for (const Core core : {Core::generic, Core::avx2, Core::avx512}) {
      if (core_available(core))
        cores.push_back(core);
      else
        MESSAGE("skipped: this processor lacks the core ", std::string(core_name(core)));
    }
    return cores;
  }();
  return found;
}

bool is_supported(const Form& form) { return find_handler(Core::generic, form) != nullptr; }

void check_form(const Form& form, const Reference& reference, int rounds,
                const std::function<std::uint64_t(std::mt19937_64&, int bytes)>& draw)
{
  std::mt19937_64 random(7);
  const std::vector<Core>& cores = available_cores();
  for (int round = 0; round < rounds; ++round) {
    FormRun prepared(form);
    prepared.randomise(random);
    const int count = static_cast<int>(prepared.list().size());
    for (int k = 1; k < count; ++k)
      for (int lane = 0; prepared.list()[static_cast<std::size_t>(k)].bytes != 0 && lane < kLanes; ++lane)
        prepared.set(k, lane, draw(random, prepared.list()[static_cast<std::size_t>(k)].bytes));
    for (const Core core : cores) {
      FormRun run = prepared;
      run.run(core);
      for (int lane = 0; lane < kLanes; ++lane) {
        std::vector<std::uint64_t> sources;
        for (int k = 1; k < count; ++k)
          sources.push_back(prepared.value(k, lane));
        const std::uint64_t expected = reference(sources);
        if (run.value(0, lane) == expected) continue;
        CAPTURE(describe(form));
        CAPTURE(std::string(core_name(core)));
        for (std::size_t k = 0; k < sources.size(); ++k)
          MESSAGE("source ", k, ": ", sources[k]);
        REQUIRE(run.value(0, lane) == expected);
      }
    }
    CHECK(count > 1);
  }
}

}  // namespace flashgate::gpu::isa
