#pragma once

#include "gpu/emulator/block.h"

namespace flashgate::gpu {

/// Warp-wide operations wait, as on Volta and later, until the lanes of their member mask that are live have come to
/// the same instruction; bar.warp.sync to any bar.warp.sync of the same mask. An aligned barrier waits for the whole
/// warp.

/// The current split is at such an instruction with all its lanes. True if it was carried out and the split may go on;
/// otherwise the split waits.
bool meet(Engine& engine, Warp& warp, const isa::Instruction& instruction, const InstructionFlow& flow);

/// No split of the warp can run: carries out what is complete because lanes have exited, or lets some go that wait for
/// each other. False if the warp can only wait for other warps.
bool settle_warp(Engine& engine, Warp& warp);

/// Nothing on the device can run: as settle_warp, without hoping for other warps. False if nothing could be done.
bool force_warp(Engine& engine, Warp& warp);

/// `lanes` of the current split exit.
void exit_lanes(Engine& engine, Warp& warp, isa::LaneMask lanes);

/// The handler of bar.warp.sync.
void sync_lanes(isa::Registers& registers, const isa::Instruction& instruction, isa::LaneMask lanes);

}  // namespace flashgate::gpu
