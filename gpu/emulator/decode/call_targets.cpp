#include "gpu/emulator/decode/call_targets.h"

#include <set>

namespace flashgate::gpu::decode {
namespace {

void collect_from_variables(const ptx::Module& module, std::set<std::size_t>& taken)
{
  for (const ptx::Variable& variable : module.variables) {
    for (const ptx::Relocation& relocation : variable.relocations) {
      const auto found = module.function_index.find(relocation.symbol);
      if (found != module.function_index.end()) taken.insert(found->second);
    }
  }
}

void collect_from_body(const ptx::FunctionBody& body, std::set<std::size_t>& taken)
{
  for (const ptx::Instruction& instruction : body.instructions) {
    if (body.opcodes[instruction.opcode].parts.front() == "call") continue;
    for (const ptx::Operand& operand : body.operands_of(instruction)) {
      if (operand.symbol == ptx::SymbolKind::function) taken.insert(static_cast<std::size_t>(operand.index));
    }
  }
}

bool same_sizes(const std::vector<ptx::Variable>& some, const std::vector<ptx::Variable>& others)
{
  if (some.size() != others.size()) return false;
  for (std::size_t place = 0; place < some.size(); ++place) {
    if (some[place].size != others[place].size) return false;
  }
  return true;
}

}  // namespace

std::vector<std::size_t> address_taken_functions(const ptx::Module& module)
{
  std::set<std::size_t> taken;
  collect_from_variables(module, taken);
  for (std::size_t function = 0; function < module.functions.size(); ++function) {
    if (module.functions[function].has_body) collect_from_body(ptx::parse_body(module, function), taken);
  }
  return {taken.begin(), taken.end()};
}

bool matches(const ptx::Function& function, const ptx::CallPrototype& prototype)
{
  return !function.is_entry && function.has_body && same_sizes(function.parameters, prototype.parameters) &&
         same_sizes(function.return_parameters, prototype.return_parameters);
}

}  // namespace flashgate::gpu::decode
