#pragma once

#include <cstdint>
#include <initializer_list>
#include <string_view>
#include <utility>

#include "gpu/emulator/isa/form.h"
#include "gpu/emulator/ptx/instruction.h"

namespace flashgate::gpu::decode {

/// The modifiers of an opcode, taken one by one. What is left at the end is not understood, so the instruction is not
/// supported: no modifier is ever dropped silently.
class Modifiers
{
 public:
  explicit Modifiers(const ptx::Opcode& opcode) : parts_(&opcode.parts) {}

  std::string_view base() const { return parts_->front(); }

  /// Takes the first modifier spelled so.
  bool take(std::string_view word);
  /// Takes the first modifier that begins so.
  bool take_prefix(std::string_view prefix);

  /// Takes the first modifier that is one of the names and gives its value; `otherwise` if there is none.
  template <typename T>
  T take_one(std::initializer_list<std::pair<std::string_view, T>> names, T otherwise)
  {
    for (const auto& name : names) {
      if (take(name.first)) return name.second;
    }
    return otherwise;
  }

  /// Takes the first modifier that is a type of the semantics; Type::none if there is none.
  isa::Type take_type();
  /// The same for a type of PTX.
  ptx::Type take_ptx_type();

  bool all_taken() const;

 private:
  bool is_taken(std::size_t place) const { return (taken_ >> place & 1U) != 0; }

  const std::vector<std::string_view>* parts_;
  std::uint64_t taken_ = 1;  ///< bit per part; the base is not a modifier
};

/// What PTX calls the type; Type::none for names that are none.
isa::Type isa_type(std::string_view name);

}  // namespace flashgate::gpu::decode
