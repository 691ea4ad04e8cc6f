#include <array>

#include "gpu/emulator/decode/family.h"

namespace flashgate::gpu::decode {
namespace {

using isa::Mode;
using isa::Operation;

InstructionClass class_for(isa::Type type)
{
  return type == isa::Type::pred ? InstructionClass::predicate : InstructionClass::integer;
}

template <Operation kOperation>
void decode_bits(InstructionBuilder& builder)
{
  isa::Form form;
  form.operation = kOperation;
  form.type = builder.modifiers().take_type();
  bind_form(builder, form, class_for(form.type));
}

/// The table is an immediate among the operands.
void decode_lop3(InstructionBuilder& builder)
{
  Modifiers& modifiers = builder.modifiers();
  isa::Form form;
  form.operation =
      modifiers.take_one<Operation>({{"or", Operation::lop3_or}, {"and", Operation::lop3_and}}, Operation::lop3);
  form.type = modifiers.take_type();
  builder.instruction().immediate = builder.immediate(builder.operand(4));
  std::vector<ptx::Operand> operands(builder.operands().begin(), builder.operands().end());
  operands.erase(operands.begin() + 4);
  bind_form(builder, form, InstructionClass::integer, operands);
}

void decode_shf(InstructionBuilder& builder)
{
  Modifiers& modifiers = builder.modifiers();
  const bool left = modifiers.take("l");
  if (!left && !modifiers.take("r")) throw Unsupported{};
  const bool wraps = modifiers.take("wrap");
  if (!wraps && !modifiers.take("clamp")) throw Unsupported{};
  isa::Form form;
  form.operation = Operation::shf;
  form.mode = left ? (wraps ? Mode::left_wrap : Mode::left_clamp) : (wraps ? Mode::right_wrap : Mode::right_clamp);
  form.type = modifiers.take_type();
  bind_form(builder, form, InstructionClass::integer);
}

void decode_bfind(InstructionBuilder& builder)
{
  isa::Form form;
  form.operation = builder.modifiers().take("shiftamt") ? Operation::bfind_shift : Operation::bfind;
  form.type = builder.modifiers().take_type();
  bind_form(builder, form, InstructionClass::integer);
}

void decode_prmt(InstructionBuilder& builder)
{
  Modifiers& modifiers = builder.modifiers();
  isa::Form form;
  form.operation = Operation::prmt;
  form.type = modifiers.take_type();
  form.mode = modifiers.take_one<Mode>({{"f4e", Mode::f4e},
                                        {"b4e", Mode::b4e},
                                        {"rc8", Mode::rc8},
                                        {"ecl", Mode::ecl},
                                        {"ecr", Mode::ecr},
                                        {"rc16", Mode::rc16}},
                                       Mode::none);
  bind_form(builder, form, InstructionClass::integer);
}

template <Operation kOperation>
void decode_limited(InstructionBuilder& builder)
{
  Modifiers& modifiers = builder.modifiers();
  isa::Form form;
  form.operation = kOperation;
  form.mode = modifiers.take_one<Mode>({{"clamp", Mode::clamp}, {"wrap", Mode::wrap}}, Mode::none);
  form.type = modifiers.take_type();
  bind_form(builder, form, InstructionClass::integer);
}

constexpr std::array kFamilies{
    Family{"and", decode_bits<Operation::and_>},
    Family{"or", decode_bits<Operation::or_>},
    Family{"xor", decode_bits<Operation::xor_>},
    Family{"not", decode_bits<Operation::not_>},
    Family{"cnot", decode_bits<Operation::cnot>},
    Family{"lop3", decode_lop3},
    Family{"shl", decode_bits<Operation::shl>},
    Family{"shr", decode_bits<Operation::shr>},
    Family{"shf", decode_shf},
    Family{"bfe", decode_bits<Operation::bfe>},
    Family{"bfi", decode_bits<Operation::bfi>},
    Family{"bfind", decode_bfind},
    Family{"brev", decode_bits<Operation::brev>},
    Family{"popc", decode_bits<Operation::popc>},
    Family{"clz", decode_bits<Operation::clz>},
    Family{"prmt", decode_prmt},
    Family{"fns", decode_bits<Operation::fns>},
    Family{"szext", decode_limited<Operation::szext>},
    Family{"bmsk", decode_limited<Operation::bmsk>},
};

}  // namespace

std::span<const Family> bit_families() { return kFamilies; }

}  // namespace flashgate::gpu::decode
