#include <array>

#include "gpu/emulator/decode/family.h"

namespace flashgate::gpu::decode {
namespace {

using isa::Comparison;
using isa::Operation;

Comparison take_comparison(Modifiers& modifiers)
{
  return modifiers.take_one<Comparison>({{"eq", Comparison::eq},
                                         {"ne", Comparison::ne},
                                         {"lt", Comparison::lt},
                                         {"le", Comparison::le},
                                         {"gt", Comparison::gt},
                                         {"ge", Comparison::ge},
                                         {"lo", Comparison::lt},
                                         {"ls", Comparison::le},
                                         {"hi", Comparison::gt},
                                         {"hs", Comparison::ge},
                                         {"equ", Comparison::equ},
                                         {"neu", Comparison::neu},
                                         {"ltu", Comparison::ltu},
                                         {"leu", Comparison::leu},
                                         {"gtu", Comparison::gtu},
                                         {"geu", Comparison::geu},
                                         {"num", Comparison::num},
                                         {"nan", Comparison::nan}},
                                        Comparison::none);
}

isa::Form read_comparison(Modifiers& modifiers, Operation operation)
{
  isa::Form form;
  form.operation = operation;
  form.comparison = take_comparison(modifiers);
  form.combine = modifiers.take_one<isa::Combine>(
      {{"and", isa::Combine::and_}, {"or", isa::Combine::or_}, {"xor", isa::Combine::xor_}}, isa::Combine::none);
  form.ftz = modifiers.take("ftz");
  return form;
}

void decode_setp(InstructionBuilder& builder)
{
  isa::Form form = read_comparison(builder.modifiers(), Operation::setp);
  form.type = builder.modifiers().take_type();
  bind_form(builder, form, InstructionClass::predicate);
}

void decode_set(InstructionBuilder& builder)
{
  isa::Form form = read_comparison(builder.modifiers(), Operation::set);
  form.type = builder.modifiers().take_type();
  form.other = builder.modifiers().take_type();
  bind_form(builder, form, InstructionClass::predicate);
}

void decode_selp(InstructionBuilder& builder)
{
  isa::Form form;
  form.operation = Operation::selp;
  form.type = builder.modifiers().take_type();
  bind_form(builder, form, InstructionClass::move);
}

void decode_slct(InstructionBuilder& builder)
{
  isa::Form form;
  form.operation = Operation::slct;
  form.ftz = builder.modifiers().take("ftz");
  form.type = builder.modifiers().take_type();
  form.other = builder.modifiers().take_type();
  bind_form(builder, form, InstructionClass::move);
}

constexpr std::array kFamilies{Family{"setp", decode_setp}, Family{"set", decode_set}, Family{"selp", decode_selp},
                               Family{"slct", decode_slct}};

}  // namespace

std::span<const Family> comparison_families() { return kFamilies; }

}  // namespace flashgate::gpu::decode
