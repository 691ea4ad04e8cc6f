#include "gpu/emulator/decode/decoder.h"

#include <algorithm>

#include "gpu/emulator/builtins.h"
#include "gpu/emulator/decode/family.h"
#include "gpu/emulator/decode/flow_graph.h"
#include "reference/error.h"

namespace flashgate::gpu::decode {
namespace {

/// Instructions that are not supported, each kind once, with the first place of the first.
class UnsupportedList
{
 public:
  void add(const std::string& place, std::string_view opcode, const std::string& why)
  {
    std::string text = "`" + std::string(opcode) + "`";
    if (!why.empty()) text += " (" + why + ")";
    if (std::find(kinds_.begin(), kinds_.end(), text) != kinds_.end()) return;
    if (kinds_.empty()) place_ = place;
    kinds_.push_back(std::move(text));
  }

  void throw_if_any() const
  {
    if (kinds_.empty()) return;
    constexpr std::size_t kMostNamed = 8;
    std::string line = place_ + ": unsupported instruction " + kinds_.front();
    if (kinds_.size() > 1) {
      line += "; and " + std::to_string(kinds_.size() - 1) + (kinds_.size() == 2 ? " more kind: " : " more kinds: ");
      for (std::size_t kind = 1; kind < std::min(kinds_.size(), kMostNamed); ++kind) {
        line += (kind == 1 ? "" : ", ") + kinds_[kind];
      }
      if (kinds_.size() > kMostNamed) line += ", ...";
    }
    throw Error(line);
  }

 private:
  std::string place_;
  std::vector<std::string> kinds_;
};

isa::Type bits_of(std::uint32_t bytes)
{
  return bytes == 2 ? isa::Type::b16 : bytes == 4 ? isa::Type::b32 : isa::Type::b64;
}

/// An argument or result that is in a register.
void decode_argument(InstructionBuilder& builder)
{
  const FlatInstruction& flat = builder.flat();
  const auto& registers = builder.builder().registers();
  const std::uint32_t bytes = register_bytes(registers[flat.to].type);
  isa::Form form;
  form.operation = isa::Operation::mov;
  form.type = bytes == 0 ? isa::Type::pred : bits_of(bytes);
  builder.instruction().run = isa::find_handler(builder.builder().options().core, form);
  builder.set_class(InstructionClass::move);
  builder.write_register(0, flat.to);
  if (flat.from == nullptr) {
    if (register_bytes(registers[flat.from_register].type) != bytes) throw Unsupported{"a result of another width"};
    builder.read_register(1, flat.from_register);
  } else if (bytes == 0) {
    builder.predicate_source(1, *flat.from);
  } else {
    builder.source(1, *flat.from, bytes);
  }
}

void decode_compare(InstructionBuilder& builder)
{
  const FlatInstruction& flat = builder.flat();
  isa::Form form;
  form.operation = isa::Operation::setp;
  form.comparison = isa::Comparison::eq;
  form.type = isa::Type::u64;
  builder.instruction().run = isa::find_handler(builder.builder().options().core, form);
  builder.set_class(InstructionClass::predicate);
  builder.write_register(0, flat.to);
  builder.no_slot(1);
  builder.source(2, *flat.from, 8);
  builder.constant(3, function_address(flat.callee), 8);
  builder.no_slot(4);
}

void decode_ptx(InstructionBuilder& builder)
{
  const Family* const family = find_family(builder.modifiers().base());
  if (family == nullptr) throw Unsupported{};
  family->decode(builder);
}

void check_guard(const InstructionBuilder& builder, const ProgramBuilder& program)
{
  const std::int32_t guard = builder.flat().guard;
  if (guard >= 0 && program.registers()[guard].type != ptx::Type::pred)
    throw Unsupported{"a guard that is no predicate"};
}

void decode_one(InstructionBuilder& builder)
{
  using Kind = FlatInstruction::Kind;
  check_guard(builder, builder.builder());
  switch (builder.flat().kind) {
    case Kind::ptx:
      return decode_ptx(builder);
    case Kind::copy:
      return decode_argument(builder);
    case Kind::compare:
      return decode_compare(builder);
    case Kind::jump:
      builder.flow().kind = FlowKind::branch;
      builder.instruction().target = builder.flat().targets.front();
      builder.set_class(InstructionClass::branch);
      return;
    case Kind::exit:
      builder.flow().kind = FlowKind::exit;
      builder.flow().is_progress = true;
      builder.set_class(InstructionClass::branch);
      return;
    case Kind::unknown_callee:
      builder.instruction().run = trap_unknown_callee;
      return;
  }
}

std::string place_text(const Program& program, std::int32_t index)
{
  const InstructionSite& site = program.sites[index];
  if (site.location >= 0) return describe_site(program, index);
  return program.module->file_name + ":" + std::to_string(site.ptx_line);
}

void start_instruction(Program& program, const FlatBody& flat, const FlatInstruction& from)
{
  isa::Instruction instruction;
  instruction.run = do_nothing;
  instruction.index = static_cast<std::int32_t>(program.instructions.size());
  instruction.guard_negated = from.guard_negated;
  program.instructions.push_back(instruction);
  InstructionSite site;
  site.guard = from.guard;
  if (from.source != nullptr) {
    site.ptx_line = static_cast<std::int32_t>(from.source->line);
    if (from.source->location >= 0) site.location = flat.frames[from.frame].first_place + from.source->location;
  }
  program.sites.push_back(std::move(site));
  program.flow.emplace_back();
}

void decode_all(ProgramBuilder& builder)
{
  Program& program = builder.program();
  const auto count = builder.flat().instructions.size();
  program.instructions.reserve(count);
  program.sites.reserve(count);
  program.flow.reserve(count);
  UnsupportedList unsupported;
  for (const FlatInstruction& flat : builder.flat().instructions) {
    start_instruction(program, builder.flat(), flat);
    InstructionBuilder one(builder, flat);
    try {
      decode_one(one);
    } catch (const Unsupported& reason) {
      const auto index = static_cast<std::int32_t>(program.instructions.size() - 1);
      unsupported.add(place_text(program, index), one.body().opcodes[flat.source->opcode].text, reason.why);
    }
  }
  unsupported.throw_if_any();
}

/// From the back: how far execution runs from each instruction without a decision.
void find_segments(Program& program)
{
  for (std::size_t at = program.instructions.size(); at-- > 0;) {
    InstructionFlow& flow = program.flow[at];
    const bool straight = program.sites[at].guard < 0 && flow.kind == FlowKind::straight;
    const bool straight_for_all =
        straight || (program.sites[at].guard < 0 && flow.kind == FlowKind::collective && flow.members == isa::kNoSlot);
    flow.split_end = straight ? program.flow[at + 1].split_end : static_cast<std::int32_t>(at);
    flow.segment_end = straight_for_all ? program.flow[at + 1].segment_end : static_cast<std::int32_t>(at);
    flow.segment_progress = flow.is_progress || (straight_for_all && program.flow[at + 1].segment_progress);
    flow.segment_poll = flow.is_poll || (straight_for_all && program.flow[at + 1].segment_poll);
  }
}

void finish(Program& program)
{
  for (std::size_t at = 0; at < program.instructions.size(); ++at) {
    isa::Instruction& instruction = program.instructions[at];
    instruction.is_control = program.flow[at].kind != FlowKind::straight;
    const std::int32_t more = program.sites[at].more_slots;
    if (more >= 0) instruction.more_slots = program.slot_pool[more].data();
  }
  find_segments(program);
}

}  // namespace

std::shared_ptr<const Program> decode(const std::shared_ptr<const ptx::Module>& module, std::string_view entry,
                                      const DecodeOptions& options)
{
  const ptx::Function* const function = module->find_function(entry);
  if (function == nullptr || !function->is_entry || !function->has_body) {
    throw Error(module->file_name + ": no entry " + std::string(entry));
  }
  ProgramBuilder builder(flatten(module, static_cast<std::size_t>(function - module->functions.data())), options);
  decode_all(builder);
  builder.drop_unread_results();
  find_reconvergence(builder.program());
  builder.place_registers();
  finish(builder.program());
  return std::make_shared<const Program>(std::move(builder.program()));
}

}  // namespace flashgate::gpu::decode
