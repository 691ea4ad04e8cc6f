#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace flashgate::gpu::mutation {

/// An instruction of PTX text, taken apart far enough to be changed: "@!%p3 setp.lt.s32 %p1, %r2, 64;".
struct PtxLine
{
  std::string guard;  ///< "%p3", empty without
  bool guard_negated = false;
  std::vector<std::string> opcode;    ///< "setp", "lt", "s32"
  std::vector<std::string> operands;  ///< "%p1", "[%r2+4]", "{%f1, %f2}"

  bool is(std::string_view first_part) const { return opcode.front() == first_part; }
  bool has(std::string_view part) const;  ///< anywhere in the opcode
  bool operator==(const PtxLine&) const = default;
};

/// Nothing for a line that is no single instruction (labels, directives, comments, blocks).
std::optional<PtxLine> parse_line(std::string_view line);

/// The instruction as a line; parse_line() reads it back.
std::string to_text(const PtxLine& line);

}  // namespace flashgate::gpu::mutation
