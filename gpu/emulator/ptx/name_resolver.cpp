#include "gpu/emulator/ptx/name_resolver.h"

#include <functional>
#include <string>

namespace flashgate::gpu::ptx {

std::size_t NameResolver::Hash::operator()(const ScopedName& key) const
{
  return std::hash<std::string_view>()(key.name) ^ (key.scope * std::size_t{0x9E3779B97F4A7C15});
}

void NameResolver::open_scope()
{
  parents_.push_back(current_);
  current_ = static_cast<std::uint32_t>(parents_.size() - 1);
}

void NameResolver::declare(Cursor& cursor, std::string_view name, const Target& target)
{
  if (declared_.try_emplace({current_, name}, target).second) return;
  cursor.fail_expected("a label that this scope does not have yet instead of " + quote_for_message(name) +
                       " in front of this");
}

void NameResolver::declare_label(Cursor& cursor, std::string_view name)
{
  const auto instruction = static_cast<std::uint32_t>(body_.instructions.size());
  declare(cursor, name, {SymbolKind::none, static_cast<std::int32_t>(instruction)});
  body_.labels.push_back({name, instruction});
}

void NameResolver::declare_table(Cursor& cursor, std::string_view name, SymbolKind kind, std::size_t index)
{
  declare(cursor, name, {kind, static_cast<std::int32_t>(index)});
}

void NameResolver::defer(Operand& operand, std::string_view name, std::uint32_t line)
{
  operand.index = static_cast<std::int32_t>(operands_.size());
  operand.symbol = SymbolKind::none;
  operands_.push_back({name, current_, line});
}

void NameResolver::defer_target(SymbolKind kind, std::size_t table, std::string_view name, std::uint32_t line)
{
  auto& tables = kind == SymbolKind::branch_targets ? body_.branch_targets : body_.call_targets;
  targets_.push_back({kind, table, tables[table].targets.size(), {name, current_, line}});
  tables[table].targets.push_back(0);
}

NameResolver::Target NameResolver::find(const Waiting& waiting) const
{
  for (std::uint32_t scope = waiting.scope;; scope = parents_[scope]) {
    const auto local = declared_.find({scope, waiting.name});
    if (local != declared_.end()) return local->second;
    if (scope == 0) break;
  }
  if (const auto function = module_.function_index.find(waiting.name); function != module_.function_index.end()) {
    return {SymbolKind::function, static_cast<std::int32_t>(function->second)};
  }
  if (const auto variable = module_.variable_index.find(waiting.name); variable != module_.variable_index.end()) {
    return {SymbolKind::module_variable, static_cast<std::int32_t>(variable->second)};
  }
  fail(waiting, "a declared name");
}

void NameResolver::fail(const Waiting& waiting, std::string_view expected) const
{
  Cursor::fail_at(module_.file_name, waiting.line,
                  "expected " + std::string(expected) + ", found " + quote_for_message(waiting.name));
}

void NameResolver::resolve_operand(Operand& operand) const
{
  const Waiting& waiting = operands_[static_cast<std::size_t>(operand.index)];
  const Target target = find(waiting);
  if (target.kind == SymbolKind::none) {
    if (operand.kind == Operand::Kind::address) fail(waiting, "a variable");
    if (operand.offset() != 0) fail(waiting, "a variable in front of an offset");
    operand.kind = Operand::Kind::label;
  }
  operand.symbol = target.kind;
  operand.index = target.index;
}

void NameResolver::resolve_target(const WaitingTarget& waiting)
{
  const Target target = find(waiting.name);
  const bool is_branch = waiting.kind == SymbolKind::branch_targets;
  if (target.kind != (is_branch ? SymbolKind::none : SymbolKind::function)) {
    fail(waiting.name, is_branch ? "a label" : "a function");
  }
  auto& tables = is_branch ? body_.branch_targets : body_.call_targets;
  tables[waiting.table].targets[waiting.element] = static_cast<std::uint32_t>(target.index);
}

void NameResolver::resolve()
{
  for (Operand& operand : body_.operands) {
    const bool names_symbol = operand.kind == Operand::Kind::symbol ||
                              (operand.kind == Operand::Kind::address && operand.base_kind == Operand::Base::symbol);
    if (names_symbol && operand.symbol == SymbolKind::none) resolve_operand(operand);
  }
  for (const WaitingTarget& waiting : targets_) {
    resolve_target(waiting);
  }
}

}  // namespace flashgate::gpu::ptx
