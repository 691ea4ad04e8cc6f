#pragma once

#include <string>
#include <string_view>

#include "gpu/emulator/ptx/module.h"

namespace flashgate::gpu::ptx {

/// A module made of a heading (lines 1 to 3) and `text`, which starts at line 4.
Module module_of(std::string_view text);

/// A function body and the module it points into.
struct ParsedBody
{
  Module module;
  FunctionBody body;
};

/// The body of an entry `k` whose statements are `statements`, the first of them in line 5. `globals` stand in front of
/// the entry, in line 4 (and must not have line ends).
ParsedBody body_of(std::string_view statements, std::string_view globals = "");

/// All instructions, one a line, in a spelling of its own that shows how each operand was understood:
///   [!%p1] add.s32 r:%r1 i:5 f:3f800000 d:3ff0000000000000 s:%tid.x ga+8 @2 [%rd1+16 {i:0 r:%r2}] {..} _ r:%r1|%p1
/// Symbols show their kind in front: p: parameter, q: return parameter, l: local, m: module variable, fn: function,
/// bt:, ct:, cp: tables of targets and prototypes.
std::string text_of(const ParsedBody& parsed);

/// what() of the Error that parsing the module and all bodies throws; "" if there is none.
std::string error_of(const std::string& text);

/// Parses the module and all its bodies; throws Error like the parser.
void parse_all(const std::string& text);

}  // namespace flashgate::gpu::ptx
