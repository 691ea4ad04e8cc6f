#include "gpu/emulator/decode/program_builder.h"

#include <algorithm>

#include "gpu/emulator/decode/allocation.h"

namespace flashgate::gpu::decode {
namespace {

std::uint32_t aligned(std::uint32_t bytes, std::uint32_t alignment)
{
  return (bytes + alignment - 1) / alignment * alignment;
}

}  // namespace

std::uint32_t register_bytes(ptx::Type type)
{
  if (type == ptx::Type::pred) return 0;
  const int bytes = ptx::size_in_bytes(type);
  return bytes < 2 ? 2 : static_cast<std::uint32_t>(bytes);
}

ProgramBuilder::ProgramBuilder(FlatBody flat, const DecodeOptions& options) : flat_(std::move(flat)), options_(options)
{
  const ptx::Function& entry = module().functions[flat_.frames.front().function];
  program_.name = entry.name;
  program_.module = flat_.module;
  program_.checked = options.checked;
  program_.places = flat_.places;
  program_.parameter_bytes = flat_.parameter_bytes;
  program_.static_shared_bytes = flat_.shared_bytes;
  program_.dynamic_shared_offset = aligned(flat_.shared_bytes, flat_.dynamic_shared_alignment);
  program_.local_bytes = aligned(flat_.local_bytes, 16);
  if (entry.maxntid) program_.max_threads = (*entry.maxntid)[0] * (*entry.maxntid)[1] * (*entry.maxntid)[2];
  if (entry.reqntid) program_.required_block = *entry.reqntid;
}

std::uint32_t ProgramBuilder::new_register(ptx::Type type, std::string_view name)
{
  flat_.registers.push_back({.name = name, .number = ptx::kNone, .type = type});
  return static_cast<std::uint32_t>(flat_.registers.size() - 1);
}

std::uint32_t ProgramBuilder::carry()
{
  if (carry_ < 0) carry_ = new_register(ptx::Type::pred, "CC.CF");
  return static_cast<std::uint32_t>(carry_);
}

std::uint32_t ProgramBuilder::constant(std::uint64_t bits, std::uint32_t bytes)
{
  if (bytes < 8) bits &= (std::uint64_t{1} << (8 * bytes)) - 1;
  const auto number = static_cast<std::uint32_t>(program_.constants.size());
  const auto [found, is_new] = constant_numbers_.try_emplace({bits, bytes}, number);
  if (is_new) program_.constants.push_back({.slot = 0, .width = bytes, .bits = bits});
  return found->second;
}

std::uint32_t ProgramBuilder::special(SpecialRegister which, std::uint32_t bytes)
{
  const auto number = static_cast<std::uint32_t>(program_.special_slots.size());
  const auto [found, is_new] = special_numbers_.try_emplace({which, bytes}, number);
  if (is_new) program_.special_slots.push_back({.which = which, .slot = 0, .width = bytes});
  return found->second;
}

void ProgramBuilder::drop_unread_results()
{
  std::vector<bool> is_read(flat_.registers.size(), false);
  for (const InstructionSite& site : program_.sites) {
    for (const std::uint32_t reg : site.reads)
      is_read[reg] = true;
  }
  for (auto& [at, form] : atomics_) {
    InstructionSite& site = program_.sites[at];
    if (std::any_of(site.writes.begin(), site.writes.end(), [&](std::uint32_t reg) { return is_read[reg]; })) continue;
    form.operation = MemoryOperation::reduce;
    const isa::Handler handler = find_memory_handler(form, options_.checked);
    if (handler == nullptr) continue;
    site.writes.clear();
    program_.instructions[at].run = handler;
    program_.instructions[at].a = memory_word(form);
    program_.flow[at].is_poll = false;
    program_.flow[at].is_progress = true;
  }
}

void ProgramBuilder::place_registers()
{
  std::vector<std::uint32_t> slots(flat_.registers.size(), 0);
  for (std::size_t reg = 0; reg < slots.size(); ++reg) {
    if (flat_.registers[reg].type == ptx::Type::pred) slots[reg] = program_.predicate_count++;
  }
  std::uint32_t bytes = 0;
  if (options_.checked) {
    place_identically(slots, bytes);
    program_.register_names.reserve(slots.size());
    for (const ptx::Register& reg : flat_.registers)
      program_.register_names.push_back(ptx::name_of(reg));
  } else {
    allocate_registers(program_, flat_.registers, slots, bytes);
  }
  place_constants(bytes);
  program_.register_bytes = bytes;
  apply(slots);
}

void ProgramBuilder::place_identically(std::vector<std::uint32_t>& slots, std::uint32_t& bytes) const
{
  std::vector<bool> is_used(slots.size(), false);
  for (const SlotUse& use : slot_uses_) {
    if (use.kind == SlotUse::Kind::reg) is_used[use.index] = true;
  }
  for (std::size_t reg = 0; reg < slots.size(); ++reg) {
    if (!is_used[reg] || flat_.registers[reg].type == ptx::Type::pred) continue;
    slots[reg] = bytes;
    bytes += register_bytes(flat_.registers[reg].type) * isa::kLanes;
  }
}

void ProgramBuilder::place_constants(std::uint32_t& bytes)
{
  for (ConstantSlot& constant : program_.constants) {
    constant.slot = bytes;
    bytes += constant.width * isa::kLanes;
  }
  for (SpecialSlot& special : program_.special_slots) {
    special.slot = bytes;
    bytes += special.width * isa::kLanes;
  }
}

void ProgramBuilder::apply(const std::vector<std::uint32_t>& slots)
{
  for (const SlotUse& use : slot_uses_) {
    switch (use.kind) {
      case SlotUse::Kind::reg:
        set_slot(use, slots[use.index]);
        break;
      case SlotUse::Kind::constant:
        set_slot(use, program_.constants[use.index].slot);
        break;
      case SlotUse::Kind::special:
        set_slot(use, program_.special_slots[use.index].slot);
        break;
    }
  }
  for (std::size_t at = 0; at < program_.instructions.size(); ++at) {
    isa::Instruction& instruction = program_.instructions[at];
    const std::int32_t guard = program_.sites[at].guard;
    if (guard >= 0) instruction.guard = static_cast<std::int32_t>(slots[guard]);
  }
}

void ProgramBuilder::set_slot(const SlotUse& use, std::uint32_t value)
{
  isa::Instruction& instruction = program_.instructions[use.instruction];
  if (use.slot < instruction.slot.size()) {
    instruction.slot[use.slot] = value;
  } else if (use.slot == kMembersSlot) {
    program_.flow[use.instruction].members = value;
  } else {
    program_.slot_pool[program_.sites[use.instruction].more_slots][use.slot - instruction.slot.size()] = value;
  }
}

}  // namespace flashgate::gpu::decode
