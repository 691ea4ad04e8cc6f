#pragma once

#include "gpu/emulator/isa/instruction.h"

namespace flashgate::gpu {

/// Handlers of what the engine provides itself. Those that end the launch report first and throw LaunchEnded.

void do_nothing(isa::Registers& registers, const isa::Instruction& instruction, isa::LaneMask lanes);

void trap(isa::Registers& registers, const isa::Instruction& instruction, isa::LaneMask lanes);
void trap_unknown_callee(isa::Registers& registers, const isa::Instruction& instruction, isa::LaneMask lanes);

/// vprintf, lane after lane. Offsets in local memory: `immediate` of the format's address, `a` of the arguments'
/// address, `b` of the result (kNoSlot: not wanted).
void print(isa::Registers& registers, const isa::Instruction& instruction, isa::LaneMask lanes);

/// __assertfail. Offsets in local memory: `immediate` of the message's address, `a` of the file's, `b` of the line,
/// slot[0] of the function's.
void fail_assertion(isa::Registers& registers, const isa::Instruction& instruction, isa::LaneMask lanes);

}  // namespace flashgate::gpu
