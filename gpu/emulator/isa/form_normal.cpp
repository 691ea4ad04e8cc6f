#include "gpu/emulator/isa/form_normal.h"

#include "gpu/emulator/isa/type_size.h"

namespace flashgate::gpu::isa {
namespace {

bool is_floating(Type type)
{
  switch (type) {
    case Type::f16:
    case Type::f16x2:
    case Type::bf16:
    case Type::bf16x2:
    case Type::f32:
    case Type::f32x2:
    case Type::f64:
      return true;
    default:
      return false;
  }
}

/// cvt names the widths of registers only where they are wider than the types.
void normalise_widths(Form& form)
{
  const auto d = static_cast<std::uint8_t>(register_size(form.type));
  const auto a = static_cast<std::uint8_t>(register_size(form.other));
  if (form.register_bytes == 0) form.register_bytes = d;
  if (form.source_register_bytes == 0) form.source_register_bytes = a;
  if (form.register_bytes != d || form.source_register_bytes != a) return;
  form.register_bytes = 0;
  form.source_register_bytes = 0;
}

void normalise_vote(Form& form) { form.type = form.mode == Mode::ballot ? Type::b32 : Type::pred; }

}  // namespace

Form normal_form(const Form& form)
{
  Form normal = form;
  switch (form.operation) {
    case Operation::add:
    case Operation::sub:
    case Operation::mul:
    case Operation::fma:
      if (is_floating(form.type) && form.rounding == Rounding::none) normal.rounding = Rounding::rn;
      break;
    case Operation::ex2:
    case Operation::lg2:
    case Operation::sin:
    case Operation::cos:
    case Operation::tanh:
    case Operation::rsqrt:
      normal.approximate = true;
      break;
    case Operation::cvt:
      normalise_widths(normal);
      break;
    case Operation::mov:
    case Operation::selp:
    case Operation::slct:
    case Operation::shl:
    case Operation::and_:
    case Operation::or_:
    case Operation::xor_:
    case Operation::not_:
    case Operation::cnot:
    case Operation::lop3:
    case Operation::shfl:
    case Operation::match_any:
    case Operation::match_all:
      normal.type = bits_type(form.type);
      break;
    case Operation::pack:
    case Operation::unpack:
      normal.type = bits_type(form.type);
      normal.other = bits_type(form.other);
      break;
    case Operation::vote:
      normalise_vote(normal);
      break;
    case Operation::activemask:
    case Operation::fns:
      normal.type = Type::b32;
      break;
    default:
      break;
  }
  return normal;
}

}  // namespace flashgate::gpu::isa
