#include <algorithm>
#include <optional>

#include "gpu/emulator/decode/call_targets.h"
#include "gpu/emulator/decode/flat_body.h"
#include "gpu/emulator/decode/variable_homes.h"
#include "reference/error.h"

namespace flashgate::gpu::decode {
namespace {

constexpr std::size_t kMostInstructions = 4'000'000;
constexpr std::size_t kMostRegisters = 4'000'000;

/// Emits bodies one after the other, going down into callees where they are called.
class Flattener
{
 public:
  explicit Flattener(std::shared_ptr<const ptx::Module> module) { flat_.module = std::move(module); }

  FlatBody run(std::size_t entry)
  {
    const std::int32_t frame = open_frame(entry, -1, nullptr);
    place_parameters(flat_, flat_.frames[frame]);
    emit_body(frame);
    FlatInstruction last;
    last.kind = FlatInstruction::Kind::exit;
    flat_.instructions.push_back(std::move(last));
    place_shared_variables(flat_);
    return std::move(flat_);
  }

 private:
  using Kind = FlatInstruction::Kind;

  const ptx::FunctionBody* body_of(std::size_t function)
  {
    auto& body = flat_.bodies[function];
    if (!body) body = std::make_unique<ptx::FunctionBody>(ptx::parse_body(*flat_.module, function));
    return body.get();
  }

  std::int32_t open_frame(std::size_t function, std::int32_t caller, const ptx::Instruction* call)
  {
    Frame frame;
    frame.function = function;
    frame.body = body_of(function);
    frame.caller = caller;
    frame.first_register = static_cast<std::uint32_t>(flat_.registers.size());
    if (flat_.registers.size() + frame.body->registers.size() > kMostRegisters) {
      throw Error(flat_.module->file_name + ": " + std::string(flat_.module->functions[function].name) +
                  " declares more registers than can be emulated");
    }
    flat_.registers.insert(flat_.registers.end(), frame.body->registers.begin(), frame.body->registers.end());
    frame.first_place = static_cast<std::int32_t>(flat_.places.size());
    add_places(*frame.body, frame.first_place, call == nullptr ? -1 : place_of(caller, *call));
    place_variables(flat_, frame);
    flat_.frames.push_back(std::move(frame));
    return static_cast<std::int32_t>(flat_.frames.size() - 1);
  }

  std::int32_t place_of(std::int32_t frame, const ptx::Instruction& instruction) const
  {
    return instruction.location < 0 ? -1 : flat_.frames[frame].first_place + instruction.location;
  }

  void add_places(const ptx::FunctionBody& body, std::int32_t first, std::int32_t call_place)
  {
    for (const ptx::Location& location : body.locations) {
      SourcePlace place;
      const auto file = flat_.module->files.find(location.file);
      if (file != flat_.module->files.end()) place.file = file->second;
      place.line = location.line;
      place.inlined_at = location.inlined_at >= 0 ? first + location.inlined_at : call_place;
      flat_.places.push_back(place);
    }
  }

  FlatInstruction& emit(Kind kind, std::int32_t frame, const ptx::Instruction& source)
  {
    if (flat_.instructions.size() >= kMostInstructions) fail(source, "device functions grow too large when inlined");
    FlatInstruction flat;
    flat.kind = kind;
    flat.frame = frame;
    flat.source = &source;
    flat_.instructions.push_back(std::move(flat));
    return flat_.instructions.back();
  }

  FlatInstruction& emit_guarded(Kind kind, std::int32_t frame, const ptx::Instruction& source)
  {
    FlatInstruction& flat = emit(kind, frame, source);
    if (source.guard >= 0) {
      flat.guard = static_cast<std::int32_t>(flat_.frames[frame].first_register) + source.guard;
      flat.guard_negated = source.guard_negated;
    }
    return flat;
  }

  [[noreturn]] void fail(const ptx::Instruction& at, const std::string& text) const
  {
    throw Error(flat_.module->file_name + ":" + std::to_string(at.line) + ": " + text);
  }

  std::int32_t here() const { return static_cast<std::int32_t>(flat_.instructions.size()); }

  void emit_body(std::int32_t frame)
  {
    const ptx::FunctionBody& body = *flat_.frames[frame].body;
    const std::size_t first = flat_.instructions.size();
    std::vector<std::int32_t> starts;
    starts.reserve(body.instructions.size() + 1);
    std::vector<std::int32_t> returns;
    for (const ptx::Instruction& instruction : body.instructions) {
      starts.push_back(here());
      emit_instruction(frame, instruction, returns);
    }
    starts.push_back(here());
    for (const std::int32_t at : returns)
      flat_.instructions[at].targets = {here()};
    for (std::size_t at = first; at < flat_.instructions.size(); ++at) {
      FlatInstruction& flat = flat_.instructions[at];
      if (flat.frame == frame && flat.kind == Kind::ptx) resolve_labels(flat, body, starts);
    }
  }

  static void resolve_labels(FlatInstruction& flat, const ptx::FunctionBody& body,
                             const std::vector<std::int32_t>& starts)
  {
    for (const ptx::Operand& operand : body.operands_of(*flat.source)) {
      if (operand.kind == ptx::Operand::Kind::label) flat.targets.push_back(starts[operand.index]);
      if (operand.symbol == ptx::SymbolKind::branch_targets) {
        for (const std::uint32_t target : body.branch_targets[operand.index].targets) {
          flat.targets.push_back(starts[target]);
        }
      }
    }
  }

  void emit_instruction(std::int32_t frame, const ptx::Instruction& instruction, std::vector<std::int32_t>& returns)
  {
    const std::string_view base = flat_.frames[frame].body->opcodes[instruction.opcode].parts.front();
    if (base == "call") {
      emit_call(frame, instruction);
    } else if (base == "ret" && frame != 0) {
      returns.push_back(here());
      emit_guarded(Kind::jump, frame, instruction);
    } else {
      emit_guarded(Kind::ptx, frame, instruction);
    }
  }

  void emit_call(std::int32_t frame, const ptx::Instruction& call)
  {
    const ptx::Operand& callee = flat_.frames[frame].body->operands_of(call)[1];
    if (callee.symbol == ptx::SymbolKind::function) {
      const std::string_view name = flat_.module->functions[callee.index].name;
      if (is_builtin(name)) {
        emit_guarded(Kind::ptx, frame, call);
        return;
      }
    }
    // A guarded call: those who do not call jump over it.
    std::int32_t skip = -1;
    if (call.guard >= 0) {
      skip = here();
      FlatInstruction& flat = emit_guarded(Kind::jump, frame, call);
      flat.guard_negated = !flat.guard_negated;
    }
    if (callee.symbol == ptx::SymbolKind::function) {
      emit_callee(frame, call, static_cast<std::size_t>(callee.index));
    } else {
      emit_indirect_call(frame, call, callee);
    }
    if (skip >= 0) flat_.instructions[skip].targets = {here()};
  }

  bool is_running(std::int32_t frame, std::size_t function) const
  {
    for (; frame >= 0; frame = flat_.frames[frame].caller) {
      if (flat_.frames[frame].function == function) return true;
    }
    return false;
  }

  void emit_callee(std::int32_t frame, const ptx::Instruction& call, std::size_t function)
  {
    const ptx::Function& callee = flat_.module->functions[function];
    if (is_running(frame, function)) {
      fail(call, "recursive call of " + std::string(callee.name) + ": recursion is not supported");
    }
    if (!callee.has_body) fail(call, "call of " + std::string(callee.name) + ", which the device does not have");
    const std::int32_t inner = open_frame(function, frame, &call);
    bind_parameters(frame, call, inner);
    emit_body(inner);
    for (std::size_t place = 0; place < callee.return_parameters.size(); ++place) {
      copy_back(frame, call, inner, place);
    }
  }

  void bind_parameters(std::int32_t frame, const ptx::Instruction& call, std::int32_t inner)
  {
    const ptx::Function& callee = flat_.module->functions[flat_.frames[inner].function];
    const ptx::FunctionBody& body = *flat_.frames[frame].body;
    const auto returned = body.elements_of(body.operands_of(call)[0]);
    const auto given = body.elements_of(body.operands_of(call)[2]);
    if (given.size() != callee.parameters.size() || returned.size() > callee.return_parameters.size()) {
      fail(call, "call of " + std::string(callee.name) + " with another number of arguments than it declares");
    }
    std::uint32_t reg = flat_.frames[inner].first_register;
    for (std::size_t place = 0; place < callee.return_parameters.size(); ++place) {
      const bool in_register = callee.return_parameters[place].space == ptx::StateSpace::reg;
      Home home;
      if (in_register) {
        home = {.space = ptx::StateSpace::reg, .offset = reg++};
      } else {
        home =
            place < returned.size() ? home_of(frame, call, returned[place]) : room_for(callee.return_parameters[place]);
      }
      flat_.frames[inner].return_parameters.push_back(home);
    }
    for (std::size_t place = 0; place < given.size(); ++place) {
      if (callee.parameters[place].space == ptx::StateSpace::reg) {
        FlatInstruction& copy = emit(Kind::copy, frame, call);
        copy.from = &given[place];
        copy.to = reg;
        flat_.frames[inner].parameters.push_back({.space = ptx::StateSpace::reg, .offset = reg++});
      } else {
        flat_.frames[inner].parameters.push_back(home_of(frame, call, given[place]));
      }
    }
  }

  /// Room for a result that the caller does not want.
  Home room_for(const ptx::Variable& variable)
  {
    const std::uint32_t offset = (flat_.local_bytes + variable.alignment - 1) / variable.alignment * variable.alignment;
    flat_.local_bytes = offset + static_cast<std::uint32_t>(variable.size);
    return {.space = ptx::StateSpace::local, .offset = offset};
  }

  Home home_of(std::int32_t frame, const ptx::Instruction& call, const ptx::Operand& operand) const
  {
    if (operand.symbol == ptx::SymbolKind::local_variable) return flat_.frames[frame].variables[operand.index];
    if (operand.symbol == ptx::SymbolKind::parameter) return flat_.frames[frame].parameters[operand.index];
    fail(call, "a .param argument must be a .param variable");
  }

  void copy_back(std::int32_t frame, const ptx::Instruction& call, std::int32_t inner, std::size_t place)
  {
    const Home& home = flat_.frames[inner].return_parameters[place];
    const ptx::FunctionBody& body = *flat_.frames[frame].body;
    const auto returned = body.elements_of(body.operands_of(call)[0]);
    if (home.space != ptx::StateSpace::reg || place >= returned.size()) return;
    if (returned[place].kind != ptx::Operand::Kind::reg) return;
    FlatInstruction& copy = emit(Kind::copy, frame, call);
    copy.from_register = static_cast<std::uint32_t>(home.offset);
    copy.to = flat_.frames[frame].first_register + static_cast<std::uint32_t>(returned[place].index);
  }

  std::vector<std::size_t> candidates(std::int32_t frame, const ptx::Instruction& call)
  {
    const ptx::FunctionBody& body = *flat_.frames[frame].body;
    const ptx::Operand& type = body.operands_of(call)[3];
    std::vector<std::size_t> found;
    if (type.symbol == ptx::SymbolKind::call_targets) {
      const auto& targets = body.call_targets[type.index].targets;
      found.assign(targets.begin(), targets.end());
    } else if (type.symbol == ptx::SymbolKind::call_prototype) {
      if (!address_taken_) address_taken_ = address_taken_functions(*flat_.module);
      for (const std::size_t function : *address_taken_) {
        if (matches(flat_.module->functions[function], body.call_prototypes[type.index])) found.push_back(function);
      }
    } else {
      fail(call, "an indirect call needs a prototype or a list of targets");
    }
    found.erase(
        std::remove_if(found.begin(), found.end(), [&](std::size_t function) { return is_running(frame, function); }),
        found.end());
    return found;
  }

  /// Compares the address with every function that it could be.
  void emit_indirect_call(std::int32_t frame, const ptx::Instruction& call, const ptx::Operand& address)
  {
    std::vector<std::int32_t> ends;
    for (const std::size_t function : candidates(frame, call)) {
      const auto predicate = static_cast<std::uint32_t>(flat_.registers.size());
      flat_.registers.push_back({.name = "%callee", .number = ptx::kNone, .type = ptx::Type::pred});
      FlatInstruction& compare = emit(Kind::compare, frame, call);
      compare.from = &address;
      compare.to = predicate;
      compare.callee = function;
      const std::int32_t skip = here();
      FlatInstruction& jump = emit(Kind::jump, frame, call);
      jump.guard = static_cast<std::int32_t>(predicate);
      jump.guard_negated = true;
      emit_callee(frame, call, function);
      ends.push_back(here());
      emit(Kind::jump, frame, call);
      flat_.instructions[skip].targets = {here()};
    }
    emit(Kind::unknown_callee, frame, call);
    for (const std::int32_t end : ends)
      flat_.instructions[end].targets = {here()};
  }

  FlatBody flat_;
  std::optional<std::vector<std::size_t>> address_taken_;
};

}  // namespace

std::uint64_t function_address(std::size_t function)
{
  constexpr std::uint64_t kFirst = 0x00F0'0000'0000'0000;
  return kFirst + 16 * static_cast<std::uint64_t>(function);
}

bool is_builtin(std::string_view function) { return function == "vprintf" || function == "__assertfail"; }

FlatBody flatten(std::shared_ptr<const ptx::Module> module, std::size_t entry)
{
  return Flattener(std::move(module)).run(entry);
}

}  // namespace flashgate::gpu::decode
