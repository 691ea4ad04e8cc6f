#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "gpu/emulator/isa/form.h"
#include "gpu/emulator/isa/instruction.h"
#include "gpu/emulator/ptx/module.h"

namespace flashgate::gpu {

/// The classes that counters are kept for.
enum class InstructionClass : std::uint8_t {
  integer,
  floating,
  conversion,
  move,
  predicate,
  special_function,
  matrix,
  load_store_shared,
  load_store_global,
  load_store_other,
  async_copy,
  atomic,
  warp,
  barrier,
  branch,
  other,
};
inline constexpr int kInstructionClassCount = static_cast<int>(InstructionClass::other) + 1;
std::string_view class_name(InstructionClass c);

/// Where an instruction came from, and what the register check needs of it: kept beside the instructions, which should
/// stay small.
struct InstructionSite
{
  std::int32_t ptx_line = 0;
  std::int32_t location = -1;  ///< into Program::places
  InstructionClass kind = InstructionClass::other;
  std::int32_t guard = -1;           ///< virtual number of the guard
  std::int32_t more_slots = -1;      ///< into Program::slot_pool: where Instruction::more_slots points
  std::vector<std::uint32_t> reads;  ///< registers (virtual numbers) read and written
  std::vector<std::uint32_t> writes;
};

/// How an instruction may change what runs next.
enum class FlowKind : std::uint8_t {
  straight,      ///< not at all
  branch,        ///< to Instruction::target
  branch_table,  ///< to Program::branch_tables[Instruction::immediate][slot 0]
  exit,
  collective,  ///< a warp-wide operation: for the lanes of its member mask together; straight for a whole warp
               ///< that the mask names
  barrier,     ///< bar, barrier: see barrier.h
  yield,       ///< straight, but others should have a turn (nanosleep)
};

/// What the interpreter needs to know of an instruction beside how to execute it.
struct InstructionFlow
{
  FlowKind kind = FlowKind::straight;
  bool aligned = false;           ///< collective, barrier: the whole warp must be there
  bool is_progress = false;       ///< a store, barrier or exit: who executes these does not only spin
  bool is_poll = false;           ///< reads what other threads may write: who executes these may wait for them
  bool segment_progress = false;  ///< whether one of the segment from here on is progress, or a poll
  bool segment_poll = false;
  std::int32_t segment_end =
      0;                       ///< the first instruction from here on that is guarded or not straight, for a whole warp
  std::int32_t split_end = 0;  ///< the same for part of a warp, which collectives stop as well
  std::int32_t reconvergence = -1;       ///< branches: where lanes that part here meet again, -1: only at the exit
  std::uint32_t members = isa::kNoSlot;  ///< collective: slot of the member mask; kNoSlot: all lanes, a constant
  isa::Mode shuffle = isa::Mode::none;   ///< of a shfl: which lane each lane reads
};

/// A source place; `inlined_at` is an index into Program::places, or -1.
struct SourcePlace
{
  std::string_view file;
  std::uint32_t line = 0;
  std::int32_t inlined_at = -1;
};

/// What a lane can ask about itself and the launch: %tid.x and the like.
enum class SpecialRegister : std::uint8_t {
  tid_x,
  tid_y,
  tid_z,
  ntid_x,
  ntid_y,
  ntid_z,
  ctaid_x,
  ctaid_y,
  ctaid_z,
  nctaid_x,
  nctaid_y,
  nctaid_z,
  laneid,
  warpid,
  nwarpid,
  smid,
  nsmid,
  gridid,
  lanemask_eq,
  lanemask_le,
  lanemask_lt,
  lanemask_ge,
  lanemask_gt,
  total_smem_size,
  dynamic_smem_size,
  grid_workspace_high,  ///< see Engine::grid_workspace
  grid_workspace_low,
  zero,  ///< cluster ids and ranks
  one,   ///< cluster sizes
};

/// A register operand that is a special register: filled before a warp starts, like a constant.
struct SpecialSlot
{
  SpecialRegister which = SpecialRegister::zero;
  std::uint32_t slot = 0;
  std::uint32_t width = 4;  ///< bytes per lane
};

/// A register operand that is a constant: the slot and what every lane of it holds.
struct ConstantSlot
{
  std::uint32_t slot = 0;
  std::uint32_t width = 4;  ///< bytes per lane
  std::uint64_t bits = 0;
};

/// One kernel, decoded for execution. Immutable once made, so any number of threads may run it at once.
struct Program
{
  std::string name;
  std::shared_ptr<const ptx::Module> module;
  bool checked =
      false;  ///< its instructions consult the checks; if not, launches may have those on only that always are
  std::vector<isa::Instruction> instructions;  ///< instructions[i].index == i; the last is an exit
  std::vector<InstructionSite> sites;          ///< one per instruction
  std::vector<InstructionFlow> flow;           ///< one per instruction
  std::vector<SourcePlace> places;
  std::vector<std::vector<std::int32_t>> branch_tables;
  std::vector<ConstantSlot> constants;
  std::vector<SpecialSlot> special_slots;
  std::vector<std::string> register_names;  ///< by virtual number
  std::uint32_t register_bytes = 0;         ///< size of Registers::values
  std::uint32_t predicate_count = 0;
  std::uint32_t parameter_bytes = 0;
  std::uint32_t static_shared_bytes = 0;
  std::uint32_t dynamic_shared_offset = 0;        ///< where `extern .shared` begins: static size, aligned as declared
  std::uint32_t local_bytes = 0;                  ///< per thread
  std::uint32_t max_threads = 1024;               ///< .maxntid / .reqntid
  std::array<std::uint32_t, 3> required_block{};  ///< .reqntid; zeros without
  std::vector<std::vector<std::uint32_t>> slot_pool;  ///< owners of Instruction::more_slots
};

/// "file.cu:12 < caller.cu:40 (ptx line 118)": the kernel's own code first, then who inlined whom.
std::string describe_site(const Program& program, std::int32_t instruction);

}  // namespace flashgate::gpu
