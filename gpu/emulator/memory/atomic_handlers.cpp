#include <bit>
#include <cstring>

#include "gpu/emulator/memory/access_checks.h"
#include "gpu/emulator/memory/access_counters.h"
#include "gpu/emulator/memory/atomic_value.h"
#include "gpu/emulator/memory/handlers.h"

namespace flashgate::gpu {
namespace {

std::uint64_t read_bits(const std::byte* from, std::uint32_t bytes)
{
  std::uint64_t bits = 0;
  std::memcpy(&bits, from, bytes);
  return bits;
}

/// One element of one lane of a register slot.
std::byte* element(const MemoryWarp& warp, const isa::Instruction& instruction, std::uint32_t operand,
                   std::uint32_t width, std::uint32_t lane)
{
  return warp.values + instruction.slot[operand] + std::size_t{width} * lane;
}

/// The whole operation of one lane, element by element.
void apply(const MemoryWarp& warp, const isa::Instruction& instruction, const FormWord& form, const Request& request,
           std::uint32_t lane, std::byte* at)
{
  const std::uint32_t bytes = form.element_bytes();
  const std::uint32_t width = form.register_bytes();
  const std::uint32_t count = form.count();
  const bool flush = request.space == StateSpace::global;
  const bool wants_old = form.operation() == MemoryOperation::atomic;
  for (std::uint32_t k = 0; k < count; ++k) {
    const std::uint64_t old = read_bits(at + std::size_t{k} * bytes, bytes);
    const std::uint64_t operand = read_bits(element(warp, instruction, count + k, width, lane), bytes);
    const std::uint64_t fresh = form.atomic() == AtomicOperation::cas
                                    ? read_bits(element(warp, instruction, 2 * count, width, lane), bytes)
                                    : 0;
    const std::uint64_t result = atomic_value(form.atomic(), form.type(), bytes, flush, old, operand, fresh);
    std::memcpy(at + std::size_t{k} * bytes, &result, bytes);
    if (wants_old && instruction.slot[k] != isa::kNoSlot) {
      std::memcpy(element(warp, instruction, k, width, lane), &old, width);
    }
  }
}

/// Floating-point sums are no flags: leaving them out keeps the table of variables small.
bool may_publish(const FormWord& form)
{
  return form.type() == AtomicType::bits || form.type() == AtomicType::unsigned_integer ||
         form.type() == AtomicType::signed_integer;
}

template <bool kChecked>
void atomic(isa::Registers& registers, const isa::Instruction& instruction, isa::LaneMask mask)
{
  auto& warp = static_cast<MemoryWarp&>(registers);
  const FormWord form(instruction.a);
  by_space(warp, instruction, form, mask, true,
           [&](const Request& request, const LaneAddresses& addresses, isa::LaneMask lanes, LanePointers& pointers) {
             AccessChecks checks(warp, instruction, form, request, pointers);
             if constexpr (kChecked) {
               count_access(*warp.context, request, addresses, lanes);
               checks.aligned(addresses, lanes, request.bytes);
             }
             for_lanes(lanes, [&](std::uint32_t lane) {
               const bool good = (pointers.good >> lane & 1U) != 0;
               if (kChecked && good) checks.atomic(lane);
               apply(warp, instruction, form, request, lane, pointers.at[lane]);
               if (kChecked && good) checks.synchronise(lane, true, may_publish(form));
             });
           });
}

/// Sums of f32 without a result, which attention kernels are full of.
template <bool kChecked>
void add_f32(isa::Registers& registers, const isa::Instruction& instruction, isa::LaneMask mask)
{
  auto& warp = static_cast<MemoryWarp&>(registers);
  const FormWord form(instruction.a);
  by_space(warp, instruction, form, mask, true,
           [&](const Request& request, const LaneAddresses& addresses, isa::LaneMask lanes, LanePointers& pointers) {
             if constexpr (kChecked) {
               AccessChecks checks(warp, instruction, form, request, pointers);
               count_access(*warp.context, request, addresses, lanes);
               checks.aligned(addresses, lanes, request.bytes);
               for_lanes(pointers.good, [&](std::uint32_t lane) { checks.atomic(lane); });
             }
             const auto* operand = warp.lanes<float>(instruction.slot[1]);
             const bool flush = request.space == StateSpace::global;
             for_lanes(lanes, [&](std::uint32_t lane) {
               float value = 0;
               std::memcpy(&value, pointers.at[lane], sizeof value);
               value = atomic_sum(value, operand[lane], flush);
               std::memcpy(pointers.at[lane], &value, sizeof value);
             });
           });
}

}  // namespace

isa::Handler atomic_handler(const MemoryForm& form, bool checked)
{
  const bool writable = form.space == StateSpace::generic || form.space == StateSpace::shared ||
                        form.space == StateSpace::global || form.space == StateSpace::local;
  const bool fits = form.element_bytes <= form.register_bytes && form.count >= 1 && 2 * form.count < kAddressSlot;
  const bool single = form.count == 1 || (form.atomic == AtomicOperation::add && form.type != AtomicType::bits);
  if (!writable || !fits || !single || !is_atomic(form.atomic, form.type, form.element_bytes)) return nullptr;
  const bool plain_sum = form.operation == MemoryOperation::reduce && form.atomic == AtomicOperation::add &&
                         form.type == AtomicType::f32 && form.count == 1 &&
                         (form.semantics == Semantics::relaxed || form.semantics == Semantics::weak);
  if (plain_sum) return checked ? add_f32<true> : add_f32<false>;
  return checked ? atomic<true> : atomic<false>;
}

}  // namespace flashgate::gpu
