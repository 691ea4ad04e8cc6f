#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "gpu/emulator/warp.h"

namespace flashgate::gpu {

/// Memory as one lane's generic addresses see it, for builtins: reads are not checked for anything but bounds.

/// False if the bytes are not in one allocation.
bool read_generic(const Warp& warp, int lane, std::uint64_t address, void* to, std::size_t bytes);

/// The text up to its zero byte, at most 1 MiB; nullopt if it runs out of its allocation.
std::optional<std::string> read_text(const Warp& warp, int lane, std::uint64_t address);

/// A value at an offset of the lane's local memory.
template <typename T>
T read_local(const Warp& warp, int lane, std::uint64_t offset);

void write_local(Warp& warp, int lane, std::uint64_t offset, std::uint32_t value);

}  // namespace flashgate::gpu
