#pragma once

#include <cstdint>
#include <string>

#include "gpu/emulator/warp.h"

namespace flashgate::gpu {

struct PrintedText
{
  std::string text;
  std::uint32_t conversions = 0;
};

/// What a lane's printf prints: all conversions of C's, with flags, width, precision and `*`. Arguments lie behind each
/// other at `arguments` (a generic address), each at its own alignment: int 4 bytes; long, long long, pointers and
/// double 8.
PrintedText format_text(const Warp& warp, int lane, const std::string& format, std::uint64_t arguments);

}  // namespace flashgate::gpu
