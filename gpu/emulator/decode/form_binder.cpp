#include "gpu/emulator/decode/family.h"

namespace flashgate::gpu::decode {
namespace {

using Kind = ptx::Operand::Kind;

/// Fills the slots of one form, in order.
class FormBinder
{
 public:
  FormBinder(InstructionBuilder& builder, const isa::Form& form, std::span<const ptx::Operand> operands)
      : builder_(builder), form_(form), wanted_(isa::operands(form))
  {
    if (operands.empty() && !wanted_.empty()) throw Unsupported{"too few operands"};
    while (leading_ < wanted_.size() && wanted_[leading_].is_destination)
      ++leading_;
    if (leading_ > 0) first_ = &operands[0];
    for (const ptx::Operand& operand : operands.subspan(leading_ > 0 ? 1 : 0))
      flatten(operand);
  }

  void bind()
  {
    bind_destinations();
    for (std::uint32_t slot = leading_; slot < wanted_.size(); ++slot) {
      if (wanted_[slot].is_destination) {
        bind_carry(slot, form_.carry_out);
      } else if (next_ < sources_.size()) {
        bind_source(slot, *sources_[next_++]);
      } else if (wanted_[slot].optional && wanted_[slot].bytes == 0) {
        bind_carry(slot, form_.carry_in);
      } else {
        throw Unsupported{"too few operands"};
      }
    }
    if (next_ != sources_.size()) throw Unsupported{"too many operands"};
  }

 private:
  void flatten(const ptx::Operand& operand)
  {
    if (operand.kind != Kind::vector) {
      sources_.push_back(&operand);
      return;
    }
    for (const ptx::Operand& element : builder_.elements(operand))
      sources_.push_back(&element);
  }

  void bind_destinations()
  {
    if (leading_ == 0) return;
    if (first_->kind == Kind::vector) {
      const auto elements = builder_.elements(*first_);
      if (elements.size() != leading_) throw Unsupported{"a vector of another length"};
      for (std::uint32_t slot = 0; slot < leading_; ++slot)
        bind_destination(slot, elements[slot]);
      return;
    }
    bind_destination(0, *first_);
    if (leading_ < 2) return;
    // `d|p`: the second part of the same operand.
    if (first_->second == ptx::kNone) {
      builder_.no_slot(1);
      return;
    }
    ptx::Operand second;
    second.kind = Kind::reg;
    second.index = first_->second;
    bind_destination(1, second);
  }

  void bind_destination(std::uint32_t slot, const ptx::Operand& operand)
  {
    const isa::Operand& wanted = wanted_[slot];
    if (operand.kind == Kind::sink && wanted.optional) {
      builder_.no_slot(slot);
    } else if (wanted.bytes == 0) {
      builder_.predicate_destination(slot, operand);
    } else {
      builder_.destination(slot, operand, static_cast<std::uint32_t>(wanted.bytes));
    }
  }

  void bind_source(std::uint32_t slot, const ptx::Operand& operand)
  {
    const isa::Operand& wanted = wanted_[slot];
    if (wanted.bytes == 0) {
      builder_.predicate_source(slot, operand);
    } else {
      builder_.source(slot, operand, static_cast<std::uint32_t>(wanted.bytes));
    }
  }

  void bind_carry(std::uint32_t slot, bool present)
  {
    if (!present) {
      builder_.no_slot(slot);
    } else if (wanted_[slot].is_destination) {
      builder_.write_register(slot, builder_.builder().carry());
    } else {
      builder_.read_register(slot, builder_.builder().carry());
    }
  }

  InstructionBuilder& builder_;
  const isa::Form& form_;
  const std::vector<isa::Operand> wanted_;
  std::uint32_t leading_ = 0;  ///< destinations at the front
  const ptx::Operand* first_ = nullptr;
  std::vector<const ptx::Operand*> sources_;
  std::size_t next_ = 0;
};

}  // namespace

void bind_form(InstructionBuilder& builder, const isa::Form& form, InstructionClass kind)
{
  bind_form(builder, form, kind, builder.operands());
}

void bind_form(InstructionBuilder& builder, const isa::Form& form, InstructionClass kind,
               std::span<const ptx::Operand> operands)
{
  if (!builder.modifiers().all_taken()) throw Unsupported{};
  const isa::Handler handler = isa::find_handler(builder.builder().options().core, form);
  if (handler == nullptr) throw Unsupported{};
  builder.instruction().run = handler;
  builder.set_class(kind);
  FormBinder(builder, form, operands).bind();
}

void bind_memory(InstructionBuilder& builder, const MemoryForm& form, InstructionClass kind)
{
  if (!builder.modifiers().all_taken()) throw Unsupported{};
  const isa::Handler handler = find_memory_handler(form, builder.builder().options().checked);
  if (handler == nullptr) throw Unsupported{};
  builder.instruction().run = handler;
  builder.instruction().a = memory_word(form);
  builder.set_class(kind);
}

void bind_address(InstructionBuilder& builder, MemoryForm& form, const ptx::Operand& operand)
{
  const Address address = builder.address(operand);
  if (address.has_symbol && (form.space == StateSpace::generic || form.space == StateSpace::param)) {
    form.space = address.space;
  } else if (form.space == StateSpace::param && builder.frame().caller >= 0) {
    // Parameters of device functions are their callers' variables.
    form.space = StateSpace::local;
  }
  builder.instruction().immediate = address.offset;
  if (address.reg >= 0) {
    form.address_bytes = static_cast<std::uint8_t>(address.reg_bytes);
    builder.read_register(kAddressSlot, static_cast<std::uint32_t>(address.reg));
  } else {
    form.address_bytes = 8;
    builder.no_slot(kAddressSlot);
  }
}

bool is_floating(isa::Type type)
{
  switch (type) {
    case isa::Type::f16:
    case isa::Type::f16x2:
    case isa::Type::bf16:
    case isa::Type::bf16x2:
    case isa::Type::tf32:
    case isa::Type::f32:
    case isa::Type::f32x2:
    case isa::Type::f64:
      return true;
    default:
      return false;
  }
}

InstructionClass class_of(isa::Type type)
{
  return is_floating(type) ? InstructionClass::floating : InstructionClass::integer;
}

}  // namespace flashgate::gpu::decode
