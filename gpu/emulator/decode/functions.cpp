#include <array>

#include "gpu/emulator/decode/family.h"
#include "gpu/emulator/decode/rounding.h"

namespace flashgate::gpu::decode {
namespace {

using isa::Operation;

template <Operation kOperation>
void decode_function(InstructionBuilder& builder)
{
  Modifiers& modifiers = builder.modifiers();
  isa::Form form;
  form.operation = kOperation;
  form.approximate = modifiers.take("approx");
  form.rounding = take_rounding(modifiers);
  form.ftz = modifiers.take("ftz");
  form.type = modifiers.take_type();
  bind_form(builder, form, InstructionClass::special_function);
}

void decode_copysign(InstructionBuilder& builder)
{
  isa::Form form;
  form.operation = Operation::copysign;
  form.type = builder.modifiers().take_type();
  bind_form(builder, form, InstructionClass::floating);
}

void decode_testp(InstructionBuilder& builder)
{
  isa::Form form;
  form.operation = Operation::testp;
  form.mode = builder.modifiers().take_one<isa::Mode>({{"finite", isa::Mode::finite},
                                                       {"infinite", isa::Mode::infinite},
                                                       {"number", isa::Mode::number},
                                                       {"notanumber", isa::Mode::notanumber},
                                                       {"normal", isa::Mode::normal},
                                                       {"subnormal", isa::Mode::subnormal}},
                                                      isa::Mode::none);
  form.type = builder.modifiers().take_type();
  bind_form(builder, form, InstructionClass::predicate);
}

constexpr std::array kFamilies{
    Family{"rcp", decode_function<Operation::rcp>},
    Family{"sqrt", decode_function<Operation::sqrt>},
    Family{"rsqrt", decode_function<Operation::rsqrt>},
    Family{"sin", decode_function<Operation::sin>},
    Family{"cos", decode_function<Operation::cos>},
    Family{"ex2", decode_function<Operation::ex2>},
    Family{"lg2", decode_function<Operation::lg2>},
    Family{"tanh", decode_function<Operation::tanh>},
    Family{"copysign", decode_copysign},
    Family{"testp", decode_testp},
};

}  // namespace

isa::Rounding take_rounding(Modifiers& modifiers)
{
  using isa::Rounding;
  return modifiers.take_one<Rounding>({{"rn", Rounding::rn},
                                       {"rz", Rounding::rz},
                                       {"rm", Rounding::rm},
                                       {"rp", Rounding::rp},
                                       {"rna", Rounding::rna},
                                       {"rni", Rounding::rni},
                                       {"rzi", Rounding::rzi},
                                       {"rmi", Rounding::rmi},
                                       {"rpi", Rounding::rpi}},
                                      Rounding::none);
}

std::span<const Family> function_families() { return kFamilies; }

}  // namespace flashgate::gpu::decode
