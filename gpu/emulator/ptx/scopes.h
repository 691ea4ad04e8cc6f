#pragma once

#include <cstdint>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "gpu/emulator/ptx/cursor.h"
#include "gpu/emulator/ptx/instruction.h"

namespace flashgate::gpu::ptx {

/// What a declared name stands for: registers (`width` of them: 1, or the elements of a vector) or a symbol.
struct Meaning
{
  bool is_register = true;
  SymbolKind symbol = SymbolKind::none;
  int width = 1;
  std::int32_t index = 0;
};

/// Names of registers and variables in nested `{ }`: an inner declaration hides an outer one until its scope closes.
class Scopes
{
 public:
  void open() { opened_.push_back(declarations_.size()); }
  void close();

  /// Throws Error at `cursor` if this scope has the name already.
  void declare(Cursor& cursor, std::string_view name, const Meaning& meaning);

  /// `name<count>`: name0, name1, ... with indices `first.index + i * first.width`.
  void declare_range(Cursor& cursor, std::string_view name, std::uint32_t count, const Meaning& first);

  /// False if nothing of that name is visible.
  bool find(std::string_view name, Meaning& meaning) const;

 private:
  static constexpr std::size_t kNothing = ~std::size_t{0};

  struct Declaration
  {
    std::string_view name;
    std::uint32_t count;  ///< of a range; 0 for a plain name
    Meaning meaning;
    std::size_t hidden;  ///< the declaration that this one hides, or kNothing
  };
  using Table = std::unordered_map<std::string_view, std::size_t>;

  void add(Cursor& cursor, Table& table, const Declaration& declaration);
  bool find_in_range(std::string_view name, Meaning& meaning, std::size_t& declaration) const;

  std::vector<Declaration> declarations_;
  std::vector<std::size_t> opened_{0};  ///< declarations that there were when a scope was opened
  Table plain_;                         ///< innermost declaration of a name
  Table ranges_;                        ///< same, by the name in front of the number
};

}  // namespace flashgate::gpu::ptx
