#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "gpu/emulator/ptx/cursor.h"
#include "gpu/emulator/ptx/module.h"

namespace flashgate::gpu::ptx {

/// Bytes; a declared variable that is larger is an error.
constexpr std::uint64_t kLargestVariable = std::uint64_t{1} << 40;

/// Bytes that the images of the initialisers in `text` may take. Written-out elements always fit (two characters give
/// at most eight bytes); the rest is for gaps, which short text could make as long as it likes.
constexpr std::size_t initial_room(std::string_view text) { return (std::size_t{16} << 20) + 8 * text.size(); }

/// What may surround a variable.
struct VariableContext
{
  StateSpace space = StateSpace::generic;
  Linkage linkage = Linkage::internal;
  /// What is left of initial_room(); nullptr: no initialiser may come here.
  std::size_t* initial_room = nullptr;
};

/// Reads a declaration from behind its space (`.global`, `.local`, ...) to behind the semicolon:
/// `.align 4 .v2 .f32 a, b[2][3], c = {...};`
std::vector<Variable> read_variables(Cursor& cursor, const VariableContext& context);

/// Reads `(.param .u64 .ptr .global .align 4 a, .reg .pred b, .param .b64 _)`, possibly without names. The cursor is at
/// the parenthesis.
std::vector<Variable> read_parameters(Cursor& cursor);

/// Passes what follows `.attribute`: `(.managed, .unified(1, 2))`.
void pass_attribute(Cursor& cursor);

/// Reads what follows `=` into `variable`. `dimensions` are those of the array, the first 0 if it was written `[]`;
/// then the size of the variable is set. Takes the bytes of the image from `room`.
void read_initialiser(Cursor& cursor, Variable& variable, std::vector<std::uint64_t> dimensions, std::size_t& room);

}  // namespace flashgate::gpu::ptx
