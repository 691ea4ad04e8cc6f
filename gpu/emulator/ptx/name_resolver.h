#pragma once

#include <cstdint>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "gpu/emulator/ptx/cursor.h"
#include "gpu/emulator/ptx/module.h"

namespace flashgate::gpu::ptx {

/// Names that may be used before they are declared: labels, tables of targets, prototypes, and those of the module.
/// Labels belong to the `{ }` they stand in, so inline assembly may repeat them.
class NameResolver
{
 public:
  NameResolver(const Module& module, FunctionBody& body) : module_(module), body_(body) {}

  void open_scope();
  void close_scope() { current_ = parents_[current_]; }

  /// `name:` in front of the next instruction.
  void declare_label(Cursor& cursor, std::string_view name);

  /// `name: .branchtargets ...` and its like; `index` into the list of the body that `kind` says.
  void declare_table(Cursor& cursor, std::string_view name, SymbolKind kind, std::size_t index);

  /// Makes `operand`, a symbol or an address, one that waits for resolve(). `line` is that of the name.
  void defer(Operand& operand, std::string_view name, std::uint32_t line);

  /// Appends a name to a table of targets; resolve() fills it in.
  void defer_target(SymbolKind kind, std::size_t table, std::string_view name, std::uint32_t line);

  /// Looks up everything that waits. Throws Error for a name that is not declared or is of the wrong kind.
  void resolve();

 private:
  struct ScopedName
  {
    std::uint32_t scope;
    std::string_view name;
    bool operator==(const ScopedName&) const = default;
  };
  struct Hash
  {
    std::size_t operator()(const ScopedName& key) const;
  };
  struct Waiting
  {
    std::string_view name;
    std::uint32_t scope;
    std::uint32_t line;
  };
  struct WaitingTarget
  {
    SymbolKind kind;
    std::size_t table;
    std::size_t element;
    Waiting name;
  };
  /// A label (kind none, index of an instruction) or a symbol.
  struct Target
  {
    SymbolKind kind = SymbolKind::none;
    std::int32_t index = 0;
  };

  void declare(Cursor& cursor, std::string_view name, const Target& target);
  Target find(const Waiting& waiting) const;
  [[noreturn]] void fail(const Waiting& waiting, std::string_view expected) const;
  void resolve_operand(Operand& operand) const;
  void resolve_target(const WaitingTarget& waiting);

  const Module& module_;
  FunctionBody& body_;
  std::vector<std::uint32_t> parents_{0};  ///< by scope
  std::uint32_t current_ = 0;
  std::unordered_map<ScopedName, Target, Hash> declared_;
  std::vector<Waiting> operands_;  ///< Operand::index of one that waits refers to it
  std::vector<WaitingTarget> targets_;
};

}  // namespace flashgate::gpu::ptx
