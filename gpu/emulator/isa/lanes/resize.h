#pragma once

#include "gpu/emulator/isa/form_sink.h"
#include "gpu/emulator/isa/lanes/convert_source.h"

/// cvt on registers wider than its types: the source's low part is moved to a register of natural width, the conversion
/// runs there, and its result is extended to the wide register.
namespace flashgate::gpu::isa::FLASHGATE_ISA_CORE {

struct Sizes
{
  int d = 0;           ///< bytes of the result's natural register
  int d_register = 0;  ///< bytes of the register it goes to
  int a = 0;
  int a_register = 0;
  bool is_signed = false;  ///< the result
};

FLASHGATE_INLINE u64 element_at(const std::byte* from, int bytes, int lane)
{
  u64 value = 0;
  __builtin_memcpy(&value, from + static_cast<std::ptrdiff_t>(lane) * bytes, static_cast<std::size_t>(bytes));
  return value;
}

FLASHGATE_INLINE void move_elements(std::byte* to, int to_bytes, const std::byte* from, int from_bytes,
                                    bool extend_sign, LaneMask mask)
{
  for (int lane = 0; lane < kLanes; ++lane) {
    if (!(mask >> lane & 1)) continue;
    u64 value = element_at(from, from_bytes, lane);
    const int unused = 64 - 8 * from_bytes;
    if (extend_sign) value = static_cast<u64>(static_cast<s64>(value << unused) >> unused);
    __builtin_memcpy(to + static_cast<std::ptrdiff_t>(lane) * to_bytes, &value, static_cast<std::size_t>(to_bytes));
  }
}

/// One body for all sizes; the wrappers below are many.
[[gnu::noinline]] inline void run_resized(Registers& registers, const Instruction& instruction, LaneMask mask,
                                          Handler inner, const Sizes& sizes)
{
  alignas(64) std::byte slots[2][kLanes * sizeof(u64)] = {};
  Registers natural{slots[0], registers.predicates};
  Instruction moved{};
  moved.slot[1] = sizeof(slots[0]);
  move_elements(slots[1], sizes.a, registers.values + instruction.slot[1], sizes.a_register, false, mask);
  inner(natural, moved, mask);
  move_elements(registers.values + instruction.slot[0], sizes.d_register, slots[0], sizes.d, sizes.is_signed, mask);
}

template <Handler kInner, Sizes kSizes>
void resized(Registers& registers, const Instruction& instruction, LaneMask mask)
{
  run_resized(registers, instruction, mask, kInner, kSizes);
}

/// Lists `form` for registers of these sizes, unless both are natural.
template <Handler kInner, Sizes kSizes>
void list_sizes(const FormSink& sink, Form form)
{
  if constexpr (kSizes.d != kSizes.d_register || kSizes.a != kSizes.a_register) {
    form.register_bytes = kSizes.d_register;
    form.source_register_bytes = kSizes.a_register;
    sink(form, resized<kInner, kSizes>);
  }
}

template <typename F>
void for_each_size(F f)
{
  f.template operator()<2>();
  f.template operator()<4>();
  f.template operator()<8>();
}

/// Integer to integer, in all registers that hold the types.
template <Type kType, Type kSource, Handler kInner>
void list_resized(const FormSink& sink, const Form& form)
{
  constexpr int kD = sizeof(RegisterOf<kType>);
  constexpr int kA = sizeof(RegisterOf<kSource>);
  constexpr bool kSigned = kIsSigned<RegisterOf<kType>>;
  for_each_size([&]<int kDRegister>() {
    for_each_size([&]<int kARegister>() {
      if constexpr (kDRegister >= kD && kARegister >= kA)
        list_sizes<kInner, Sizes{kD, kDRegister, kA, kARegister, kSigned}>(sink, form);
    });
  });
}

/// Floating type to an integer of 8 or 16 bits in a register of 32.
template <Type kType, Type kSource, Handler kInner>
void list_resized_destination(const FormSink& sink, const Form& form)
{
  constexpr int kA = sizeof(RegisterOf<kSource>);
  list_sizes<kInner, Sizes{2, 4, kA, kA, kIsSigned<RegisterOf<kType>>}>(sink, form);
}

/// An integer of 8 or 16 bits in a register of 32 to a floating type.
template <Type kType, Type kSource, Handler kInner>
void list_resized_source(const FormSink& sink, const Form& form)
{
  constexpr int kD = sizeof(RegisterOf<kType>);
  list_sizes<kInner, Sizes{kD, kD, 2, 4, false}>(sink, form);
}

}  // namespace flashgate::gpu::isa::FLASHGATE_ISA_CORE
