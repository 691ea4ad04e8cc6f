#include "gpu/emulator/memory/written_bits.h"

#include <algorithm>
#include <vector>

#include <doctest/doctest.h>
#include <rapidcheck.h>

namespace flashgate::gpu {
namespace {

constexpr std::size_t kBytes = 100;

bool all(const std::vector<bool>& model, std::size_t offset, std::size_t bytes)
{
  for (std::size_t i = offset; i < offset + bytes; ++i) {
    if (!model[i]) return false;
  }
  return true;
}

}  // namespace

TEST_CASE("written bits agree with a vector of bool, whatever was set and copied")
{
  const bool passed = rc::check("written bits", [] {
    WrittenBits bits(kBytes);
    std::vector<bool> model(kBytes);
    for (int step = 0; step < 30; ++step) {
      const auto offset = *rc::gen::inRange<std::size_t>(0, kBytes);
      const auto length = *rc::gen::inRange<std::size_t>(1, std::min<std::size_t>(kBytes - offset, 40) + 1);
      const auto from = *rc::gen::inRange<std::size_t>(0, kBytes - length + 1);
      if (*rc::gen::inRange(0, 3) == 0) {
        bits.copy(offset, bits, from, length);
        const std::vector<bool> before = model;
        for (std::size_t i = 0; i < length; ++i)
          model[offset + i] = before[from + i];
      } else {
        bits.set(offset, length);
        for (std::size_t i = 0; i < length; ++i)
          model[offset + i] = true;
      }
      RC_ASSERT(bits.all(from, length) == all(model, from, length));
    }
    for (std::size_t i = 0; i < kBytes; ++i)
      RC_ASSERT(bits.all(i, 1) == model[i]);
  });
  CHECK(passed);
}

}  // namespace flashgate::gpu
