#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "gpu/emulator/decode/decoder.h"
#include "gpu/emulator/decode/flat_body.h"
#include "gpu/emulator/memory/memory_form.h"

namespace flashgate::gpu::decode {

/// What a slot of an instruction stands for until registers have their places.
struct SlotUse
{
  enum class Kind : std::uint8_t { reg, constant, special };
  std::uint32_t instruction = 0;
  std::uint32_t slot = 0;  ///< beyond Instruction::slot: of its more_slots
  Kind kind = Kind::reg;
  std::uint32_t index = 0;
};

/// As SlotUse::slot: InstructionFlow::members.
inline constexpr std::uint32_t kMembersSlot = 0xFFFF'FFFF;

/// Bytes per lane of a register of this type: 2, 4 or 8; 0 for a predicate, 16 for one that is not supported.
std::uint32_t register_bytes(ptx::Type type);

/// A program in the making: what instructions share.
class ProgramBuilder
{
 public:
  ProgramBuilder(FlatBody flat, const DecodeOptions& options);

  const FlatBody& flat() const { return flat_; }
  const DecodeOptions& options() const { return options_; }
  const ptx::Module& module() const { return *flat_.module; }
  Program& program() { return program_; }
  std::uint32_t dynamic_shared_offset() const { return program_.dynamic_shared_offset; }

  const std::vector<ptx::Register>& registers() const { return flat_.registers; }
  /// A register of its own, for a destination that nobody wants or a flag.
  std::uint32_t new_register(ptx::Type type, std::string_view name);
  /// The carry flag.
  std::uint32_t carry();

  /// Numbers of slots that hold these; equal ones are shared.
  std::uint32_t constant(std::uint64_t bits, std::uint32_t bytes);
  std::uint32_t special(SpecialRegister which, std::uint32_t bytes);

  std::vector<SlotUse>& slot_uses() { return slot_uses_; }

  /// The instruction being made is an atomic operation of this form.
  void note_atomic(const MemoryForm& form) { atomics_.emplace_back(program_.instructions.size() - 1, form); }

  /// Makes atomic operations whose old value nobody reads reductions, which are faster: nvcc leaves that to ptxas.
  void drop_unread_results();

  /// Gives every register, constant and special register its slot and completes the program.
  void place_registers();

 private:
  void place_identically(std::vector<std::uint32_t>& slots, std::uint32_t& bytes) const;
  void place_constants(std::uint32_t& bytes);
  void apply(const std::vector<std::uint32_t>& slots);
  void set_slot(const SlotUse& use, std::uint32_t value);

  FlatBody flat_;
  DecodeOptions options_;
  Program program_;
  std::vector<SlotUse> slot_uses_;
  std::map<std::pair<std::uint64_t, std::uint32_t>, std::uint32_t> constant_numbers_;
  std::map<std::pair<SpecialRegister, std::uint32_t>, std::uint32_t> special_numbers_;
  std::vector<std::pair<std::size_t, MemoryForm>> atomics_;
  std::int64_t carry_ = -1;
};

}  // namespace flashgate::gpu::decode
