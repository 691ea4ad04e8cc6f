#pragma once

#include <bit>
#include <cstdint>

#include "gpu/emulator/memory/memory_form.h"

namespace flashgate::gpu {

/// MemoryForm as handlers read it, from Instruction::a. Sizes are powers of two and held as exponents.
class FormWord
{
 public:
  static std::uint32_t pack(const MemoryForm& form)
  {
    const auto log2 = [](unsigned value) { return static_cast<std::uint32_t>(std::countr_zero(value)); };
    return log2(form.element_bytes) | log2(form.register_bytes) << 3 | std::uint32_t{form.count} << 5 |
           (form.address_bytes == 8 ? 1U : 0U) << 9 | (form.sign_extend ? 1U : 0U) << 10 |
           (form.transposed ? 1U : 0U) << 11 | static_cast<std::uint32_t>(form.atomic) << 12 |
           static_cast<std::uint32_t>(form.type) << 16 | static_cast<std::uint32_t>(form.semantics) << 20 |
           static_cast<std::uint32_t>(form.scope) << 23 | static_cast<std::uint32_t>(form.space) << 25 |
           static_cast<std::uint32_t>(form.operation) << 28;
  }

  explicit FormWord(std::uint32_t word) : word_(word) {}

  std::uint32_t element_bytes() const { return 1U << bits(0, 3); }
  std::uint32_t register_bytes() const { return 1U << bits(3, 2); }
  std::uint32_t count() const { return bits(5, 4); }
  bool wide_address() const { return bits(9, 1) != 0; }
  bool sign_extend() const { return bits(10, 1) != 0; }
  bool transposed() const { return bits(11, 1) != 0; }
  AtomicOperation atomic() const { return static_cast<AtomicOperation>(bits(12, 4)); }
  AtomicType type() const { return static_cast<AtomicType>(bits(16, 4)); }
  Semantics semantics() const { return static_cast<Semantics>(bits(20, 3)); }
  Scope scope() const { return static_cast<Scope>(bits(23, 2)); }
  StateSpace space() const { return static_cast<StateSpace>(bits(25, 3)); }
  MemoryOperation operation() const { return static_cast<MemoryOperation>(bits(28, 4)); }
  /// Of one lane's access.
  std::uint32_t bytes() const { return element_bytes() * count(); }

  bool acquires() const { return semantics() == Semantics::acquire || semantics() == Semantics::acq_rel; }
  bool releases() const { return semantics() == Semantics::release || semantics() == Semantics::acq_rel; }
  bool strong() const { return semantics() != Semantics::weak; }

 private:
  std::uint32_t bits(int from, int count) const { return word_ >> from & ((1U << count) - 1); }
  std::uint32_t word_;
};

}  // namespace flashgate::gpu
