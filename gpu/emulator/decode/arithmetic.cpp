#include <array>

#include "gpu/emulator/decode/family.h"
#include "gpu/emulator/decode/rounding.h"

namespace flashgate::gpu::decode {
namespace {

using isa::Operation;

/// The modifiers that arithmetic shares, and the type.
isa::Form read_form(Modifiers& modifiers, Operation operation)
{
  isa::Form form;
  form.operation = operation;
  form.rounding = take_rounding(modifiers);
  form.ftz = modifiers.take("ftz");
  form.saturate = modifiers.take("sat");
  form.relu = modifiers.take("relu");
  form.carry_out = modifiers.take("cc");
  form.type = modifiers.take_type();
  return form;
}

template <Operation kOperation, bool kCarryIn = false>
void decode_plain(InstructionBuilder& builder)
{
  isa::Form form = read_form(builder.modifiers(), kOperation);
  form.carry_in = kCarryIn;
  bind_form(builder, form, class_of(form.type));
}

struct WidthOperations
{
  Operation lo;
  Operation hi;
  Operation wide;
};

Operation take_width(Modifiers& modifiers, const WidthOperations& operations, Operation otherwise)
{
  return modifiers.take_one<Operation>({{"lo", operations.lo}, {"hi", operations.hi}, {"wide", operations.wide}},
                                       otherwise);
}

void decode_mul(InstructionBuilder& builder)
{
  const Operation operation =
      take_width(builder.modifiers(), {Operation::mul_lo, Operation::mul_hi, Operation::mul_wide}, Operation::mul);
  const isa::Form form = read_form(builder.modifiers(), operation);
  bind_form(builder, form, class_of(form.type));
}

template <bool kCarryIn>
void decode_mad(InstructionBuilder& builder)
{
  const Operation operation =
      take_width(builder.modifiers(), {Operation::mad_lo, Operation::mad_hi, Operation::mad_wide}, Operation::fma);
  isa::Form form = read_form(builder.modifiers(), operation);
  form.carry_in = kCarryIn;
  bind_form(builder, form, class_of(form.type));
}

template <Operation kLow, Operation kHigh>
void decode_low_high(InstructionBuilder& builder)
{
  Modifiers& modifiers = builder.modifiers();
  const Operation operation = modifiers.take("hi") ? kHigh : kLow;
  modifiers.take("lo");
  const isa::Form form = read_form(modifiers, operation);
  bind_form(builder, form, InstructionClass::integer);
}

template <Operation kOperation>
void decode_extreme(InstructionBuilder& builder)
{
  Modifiers& modifiers = builder.modifiers();
  isa::Form form;
  form.operation = kOperation;
  form.ftz = modifiers.take("ftz");
  form.nan = modifiers.take("NaN");
  form.relu = modifiers.take("relu");
  if (modifiers.take("xorsign")) form.xorsign_abs = modifiers.take("abs");
  form.type = modifiers.take_type();
  bind_form(builder, form, class_of(form.type));
}

void decode_div(InstructionBuilder& builder)
{
  Modifiers& modifiers = builder.modifiers();
  const bool approximate = modifiers.take("approx");
  const bool full = modifiers.take("full");
  isa::Form form = read_form(modifiers, Operation::div);
  form.approximate = approximate;
  form.full = full;
  bind_form(builder, form, class_of(form.type));
}

/// dp4a.atype.btype: both types are given, and the accumulator is as wide as a register.
void decode_dp4a(InstructionBuilder& builder)
{
  isa::Form form;
  form.operation = Operation::dp4a;
  form.type = builder.modifiers().take_type();
  form.other = builder.modifiers().take_type();
  bind_form(builder, form, InstructionClass::integer);
}

void decode_dp2a(InstructionBuilder& builder)
{
  Modifiers& modifiers = builder.modifiers();
  isa::Form form;
  form.operation = modifiers.take("hi") ? Operation::dp2a_hi : Operation::dp2a_lo;
  modifiers.take("lo");
  form.type = modifiers.take_type();
  form.other = modifiers.take_type();
  bind_form(builder, form, InstructionClass::integer);
}

constexpr std::array kFamilies{
    Family{"add", decode_plain<Operation::add>},
    Family{"addc", decode_plain<Operation::add, true>},
    Family{"sub", decode_plain<Operation::sub>},
    Family{"subc", decode_plain<Operation::sub, true>},
    Family{"mul", decode_mul},
    Family{"mad", decode_mad<false>},
    Family{"madc", decode_mad<true>},
    Family{"fma", decode_plain<Operation::fma>},
    Family{"mul24", decode_low_high<Operation::mul24_lo, Operation::mul24_hi>},
    Family{"mad24", decode_low_high<Operation::mad24_lo, Operation::mad24_hi>},
    Family{"sad", decode_plain<Operation::sad>},
    Family{"div", decode_div},
    Family{"rem", decode_plain<Operation::rem>},
    Family{"abs", decode_plain<Operation::abs>},
    Family{"neg", decode_plain<Operation::neg>},
    Family{"min", decode_extreme<Operation::min>},
    Family{"max", decode_extreme<Operation::max>},
    Family{"dp4a", decode_dp4a},
    Family{"dp2a", decode_dp2a},
};

}  // namespace

std::span<const Family> arithmetic_families() { return kFamilies; }

}  // namespace flashgate::gpu::decode
