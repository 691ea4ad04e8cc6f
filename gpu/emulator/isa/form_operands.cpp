#include "gpu/emulator/isa/form.h"
#include "gpu/emulator/isa/type_size.h"

namespace flashgate::gpu::isa {
namespace {

/// Builds the list of one form.
class OperandList
{
 public:
  OperandList& d(int bytes, bool optional = false)
  {
    operands_.push_back({.is_destination = true, .optional = optional, .bytes = bytes});
    return *this;
  }
  OperandList& s(int bytes, int count = 1)
  {
    operands_.insert(operands_.end(), static_cast<std::size_t>(count), Operand{.bytes = bytes});
    return *this;
  }
  OperandList& carries(const Form& form)
  {
    if (!form.carry_in && !form.carry_out) return *this;
    operands_.push_back({.is_destination = true, .optional = true, .bytes = kPredicate});
    operands_.push_back({.optional = true, .bytes = kPredicate});
    return *this;
  }
  OperandList& combined(const Form& form) { return form.combine == Combine::none ? *this : s(kPredicate); }
  std::vector<Operand> take() { return std::move(operands_); }

  static constexpr int kPredicate = 0;

 private:
  std::vector<Operand> operands_;
};

constexpr int kPredicate = OperandList::kPredicate;
constexpr int kWord = 4;

struct FragmentRegisters
{
  int sums;
  int a;
  int b;
};

/// Registers of a lane: elements of the matrix by 32 lanes, packed into words.
FragmentRegisters fragment_registers(const Form& form)
{
  const int depth = form.shape == Shape::m16n8k4    ? 4
                    : form.shape == Shape::m16n8k8  ? 8
                    : form.shape == Shape::m16n8k16 ? 16
                                                    : 32;
  const bool bytes = form.other == Type::s8 || form.other == Type::u8;
  const int in_a_word = bytes ? 4 : form.other == Type::tf32 ? 1 : 2;
  return {form.type == Type::f16 ? 2 : 4, 16 * depth / 32 / in_a_word, 8 * depth / 32 / in_a_word};
}

std::vector<Operand> of_mma(const Form& form)
{
  const FragmentRegisters registers = fragment_registers(form);
  OperandList list;
  for (int k = 0; k < registers.sums; ++k)
    list.d(kWord);
  return list.s(kWord, registers.a + registers.b + registers.sums).take();
}

std::vector<Operand> of_parts(const Form& form)
{
  const int whole = register_size(form.type);
  const int part = register_size(form.other);
  if (form.operation == Operation::pack) return OperandList().d(whole).s(part, whole / part).take();
  OperandList list;
  for (int k = 0; k < whole / part; ++k)
    list.d(part, true);
  return list.s(whole).take();
}

std::vector<Operand> of_cvt(const Form& form)
{
  const bool pair = form.other == Type::f32 && (form.type == Type::f16x2 || form.type == Type::bf16x2);
  const int d = form.register_bytes != 0 ? form.register_bytes : register_size(form.type);
  const int a = form.source_register_bytes != 0 ? form.source_register_bytes : register_size(form.other);
  return OperandList().d(d).s(a, pair ? 2 : 1).take();
}

std::vector<Operand> of_three(const Form& form)
{
  const int size = register_size(form.type);
  return OperandList().d(size).s(size, 3).carries(form).take();
}

}  // namespace

std::vector<Operand> operands(const Form& form)
{
  const int size = register_size(form.type);
  const int other = register_size(form.other);
  OperandList list;
  switch (form.operation) {
    case Operation::add:
    case Operation::sub:
      return list.d(size).s(size, 2).carries(form).take();
    case Operation::fma:
    case Operation::mad_lo:
    case Operation::mad_hi:
    case Operation::mad24_lo:
    case Operation::mad24_hi:
    case Operation::sad:
    case Operation::lop3:
    case Operation::prmt:
    case Operation::fns:
    case Operation::shf:
    case Operation::dp4a:
    case Operation::dp2a_lo:
    case Operation::dp2a_hi:
      return of_three(form);
    case Operation::mul_wide:
      return list.d(2 * size).s(size, 2).take();
    case Operation::mad_wide:
      return list.d(2 * size).s(size, 2).s(2 * size).take();
    case Operation::abs:
    case Operation::neg:
    case Operation::rcp:
    case Operation::sqrt:
    case Operation::rsqrt:
    case Operation::sin:
    case Operation::cos:
    case Operation::ex2:
    case Operation::lg2:
    case Operation::tanh:
    case Operation::not_:
    case Operation::cnot:
    case Operation::brev:
    case Operation::mov:
      return list.d(size).s(size).take();
    case Operation::movmatrix:
      return list.d(kWord).s(kWord).take();
    case Operation::testp:
      return list.d(kPredicate).s(size).take();
    case Operation::cvt:
      return of_cvt(form);
    case Operation::lop3_or:
    case Operation::lop3_and:
      return list.d(size, true).d(kPredicate).s(size, 3).s(kPredicate).take();
    case Operation::shl:
    case Operation::shr:
      return list.d(size).s(size).s(kWord).take();
    case Operation::bfe:
      return list.d(size).s(size).s(kWord, 2).take();
    case Operation::bfi:
      return list.d(size).s(size, 2).s(kWord, 2).take();
    case Operation::bfind:
    case Operation::bfind_shift:
    case Operation::popc:
    case Operation::clz:
      return list.d(kWord).s(size).take();
    case Operation::pack:
    case Operation::unpack:
      return of_parts(form);
    case Operation::selp:
      return list.d(size).s(size, 2).s(kPredicate).take();
    case Operation::slct:
      return list.d(size).s(size, 2).s(other).take();
    case Operation::set:
      return list.d(size).s(other, 2).combined(form).take();
    case Operation::setp:
      return list.d(kPredicate, true).d(kPredicate, true).s(size, 2).combined(form).take();
    case Operation::shfl:
      return list.d(size, true).d(kPredicate, true).s(size).s(kWord, 3).take();
    case Operation::vote:
      return list.d(form.mode == Mode::ballot ? kWord : 0).s(kPredicate).s(kWord).take();
    case Operation::match_any:
      return list.d(kWord).s(size).s(kWord).take();
    case Operation::match_all:
      return list.d(kWord, true).d(kPredicate, true).s(size).s(kWord).take();
    case Operation::redux:
      return list.d(size).s(size).s(kWord).take();
    case Operation::activemask:
      return list.d(size).take();
    case Operation::mma:
      return of_mma(form);
    default:
      return list.d(size).s(size, 2).take();
  }
}

}  // namespace flashgate::gpu::isa
