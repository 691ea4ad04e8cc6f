#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "gpu/emulator/isa/instruction.h"

namespace flashgate::gpu {

struct Dim3
{
  std::uint32_t x = 1;
  std::uint32_t y = 1;
  std::uint32_t z = 1;

  std::uint64_t count() const { return std::uint64_t{x} * y * z; }
};

/// What the emulated device looks for. Names (`check_name`) are stable: reports, the store and command lines use them.
enum class Check : std::uint8_t {
  barrier_divergence,  ///< threads of a block wait at different barriers, or some lanes of a warp only
  warp_divergence,     ///< a warp-wide operation executed without lanes that its mask names
  barrier_exit,        ///< a barrier that completed only because other threads had exited
  early_exit,          ///< whole warps left before a barrier that the others use: an idiom, so a warning
  hang,                ///< nobody can go on, or the instruction budget was used up
  race_shared,
  race_global,
  async_read,  ///< memory touched while an asynchronous copy to it was not waited for
  uninit_shared,
  uninit_global,
  uninit_local,
  uninit_register,
  out_of_bounds,
  misaligned,
  assertion,
  trap,
};
inline constexpr int kCheckCount = static_cast<int>(Check::trap) + 1;

/// As printed: "race-shared", "assert", ...
std::string_view check_name(Check check);

/// The checks that are on. Divergence, hangs, bounds, assert and trap are always on: without them a run can't go on.
class CheckSet
{
 public:
  static CheckSet all() { return CheckSet((1U << kCheckCount) - 1); }
  static CheckSet always();
  bool has(Check check) const { return (bits_ >> static_cast<int>(check) & 1U) != 0; }
  void add(Check check) { bits_ |= 1U << static_cast<int>(check); }
  void remove(Check check) { bits_ &= ~(1U << static_cast<int>(check)); }
  bool operator==(const CheckSet&) const = default;

 private:
  friend CheckSet parse_checks(std::string_view text);
  explicit CheckSet(std::uint32_t bits) : bits_(bits) {}
  std::uint32_t bits_;
};

/// "race,uninit,bounds" (groups), or names of single checks; what is always on is added. Throws Error naming the word.
CheckSet parse_checks(std::string_view text);

/// One thing that is wrong, at the place where it was first seen.
struct Finding
{
  Check check = Check::hang;
  Dim3 block{0, 0, 0};
  std::uint32_t warp = 0;
  isa::LaneMask lanes = 0;
  std::int32_t instruction = -1;  ///< index into the program, -1 where there is no single place
  std::int32_t other = -1;        ///< the earlier access of a race, the other barrier, ...
  std::string detail;             ///< one line without the place: "read of smem+64 after an unordered write by warp 2"
  std::uint64_t count = 1;        ///< how often it was seen at this place

  bool is_warning() const { return check == Check::early_exit; }
};

/// Findings of a launch, one per check and pair of instructions; later ones of the same place are counted only. At most
/// `limit` places are kept.
class FindingLog
{
 public:
  /// True the first time: only then is a detail worth making.
  bool is_new(Check check, std::int32_t instruction, std::int32_t other) const;
  void add(Finding finding);
  const std::vector<Finding>& findings() const { return findings_; }
  std::uint64_t dropped() const { return dropped_; }

 private:
  static constexpr std::size_t kLimit = 1000;
  std::vector<Finding> findings_;
  std::unordered_map<std::uint64_t, std::size_t> places_;
  std::uint64_t dropped_ = 0;
};

}  // namespace flashgate::gpu
