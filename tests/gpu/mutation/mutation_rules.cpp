#include "tests/gpu/mutation/mutation_rules.h"

#include <array>
#include <utility>

namespace flashgate::gpu::mutation {
namespace {

using Texts = std::vector<std::string>;
using Pairs = std::span<const std::pair<std::string_view, std::string_view>>;

/// What stands beside `part` in a list of pairs; empty if it is in none.
std::string_view partner(Pairs pairs, std::string_view part)
{
  for (const auto& [a, b] : pairs) {
    if (part == a) return b;
    if (part == b) return a;
  }
  return {};
}

/// The line with the first opcode part that has a partner replaced by it.
Texts swap_part(PtxLine line, Pairs pairs)
{
  for (std::string& part : line.opcode) {
    const std::string_view other = partner(pairs, part);
    if (other.empty()) continue;
    part = other;
    return {to_text(line)};
  }
  return {};
}

Texts swap_operands(PtxLine line, std::size_t a, std::size_t b)
{
  std::swap(line.operands[a], line.operands[b]);
  return {to_text(line)};
}

/// "{a, b, c, d}" with two elements swapped.
std::string swap_elements(const std::string& vector, std::size_t a, std::size_t b)
{
  PtxLine list = *parse_line("list " + vector.substr(1, vector.size() - 2) + ";");
  std::swap(list.operands.at(a), list.operands.at(b));
  const std::string text = to_text(list);
  return "{" + text.substr(5, text.size() - 6) + "}";
}

std::string with_operand(PtxLine line, std::size_t index, std::string_view text)
{
  line.operands[index] = text;
  return to_text(line);
}

Texts remove_barrier(const PtxLine& line)
{
  if (!line.is("bar")) return {};
  return {"", "bar.warp.sync 0xffffffff;"};
}

Texts weaken_wait(const PtxLine& line)
{
  if (!line.is("cp") || !line.has("wait_group")) return {};
  return {"", with_operand(line, 0, std::to_string(std::stoi(line.operands[0]) + 1))};
}

Texts remove_commit(const PtxLine& line)
{
  if (!line.is("cp") || !line.has("commit_group")) return {};
  return {""};
}

Texts remove_copy(const PtxLine& line)
{
  if (!line.is("cp") || !line.has("cg")) return {};
  return {""};
}

Texts copy_out_of_bounds(const PtxLine& line)
{
  if (!line.is("cp") || line.operands.size() != 4) return {};
  return {with_operand(line, 3, line.operands[2])};
}

Texts shift_comparison(const PtxLine& line)
{
  static constexpr std::array<std::pair<std::string_view, std::string_view>, 2> kPairs{{{"lt", "le"}, {"gt", "ge"}}};
  return line.is("setp") ? swap_part(line, kPairs) : Texts{};
}

Texts negate_equality(const PtxLine& line)
{
  static constexpr std::array<std::pair<std::string_view, std::string_view>, 2> kPairs{{{"eq", "ne"}, {"equ", "neu"}}};
  return line.is("setp") ? swap_part(line, kPairs) : Texts{};
}

Texts negate_guard(const PtxLine& line)
{
  if (line.guard.empty()) return {};
  PtxLine negated = line;
  negated.guard_negated = !line.guard_negated;
  return {to_text(negated)};
}

Texts ignore_guard(const PtxLine& line)
{
  if (line.guard.empty()) return {};
  PtxLine always = line;
  always.guard.clear();
  return {"", to_text(always)};
}

Texts swap_logic(const PtxLine& line)
{
  static constexpr std::array<std::pair<std::string_view, std::string_view>, 1> kPairs{{{"and", "or"}}};
  return line.has("pred") ? swap_part(line, kPairs) : Texts{};
}

Texts swap_choices(const PtxLine& line) { return line.is("selp") ? swap_operands(line, 1, 2) : Texts{}; }

Texts swap_extremum(const PtxLine& line)
{
  static constexpr std::array<std::pair<std::string_view, std::string_view>, 1> kPairs{{{"min", "max"}}};
  return swap_part(line, kPairs);
}

Texts drop_factor(const PtxLine& line)
{
  const std::vector<std::string>& o = line.operands;
  if (line.opcode.back() != "f32") return {};
  if (line.is("mul")) return {"mov.f32 " + o[0] + ", " + o[1] + ";", "mov.f32 " + o[0] + ", " + o[2] + ";"};
  if (line.is("fma")) return {"add.f32 " + o[0] + ", " + o[1] + ", " + o[3] + ";"};
  return {};
}

Texts drop_summand(const PtxLine& line)
{
  const std::vector<std::string>& o = line.operands;
  if (line.opcode.back() != "f32") return {};
  if (line.is("add") || line.is("sub")) return {"mov.f32 " + o[0] + ", " + o[1] + ";"};
  if (line.is("fma")) return {"mov.f32 " + o[0] + ", " + o[3] + ";"};
  return {};
}

Texts drop_exponential(const PtxLine& line)
{
  return line.is("ex2") ? Texts{"mov.f32 " + line.operands[0] + ", " + line.operands[1] + ";"} : Texts{};
}

/// "[%r1+16]" moved by some bytes.
std::string moved(const std::string& address, int bytes)
{
  return address.substr(0, address.size() - 1) + "+" + std::to_string(bytes) + "]";
}

/// Addresses without a place of their own for an offset get one: "[%r1+16+16]" is no PTX.
std::string with_offset(const std::string& address, int bytes)
{
  const std::size_t plus = address.find('+');
  if (plus == std::string::npos) return moved(address, bytes);
  const int offset = std::stoi(address.substr(plus + 1)) + bytes;
  return moved(address.substr(0, plus) + "]", offset);
}

Texts move_address(const PtxLine& line)
{
  const bool is_memory = line.is("ld") || line.is("st") || line.is("ldmatrix") || (line.is("cp") && line.has("cg"));
  if (!is_memory || line.has("param") || line.has("local")) return {};
  for (std::size_t at = 0; at < line.operands.size(); ++at) {
    if (!line.operands[at].starts_with('[')) continue;
    const int bytes = line.is("ldmatrix") || line.is("cp") || line.has("v4") ? 16 : line.has("u16") ? 2 : 4;
    return {with_operand(line, at, with_offset(line.operands[at], bytes))};
  }
  return {};
}

Texts swap_matrix_operands(const PtxLine& line)
{
  if (!line.is("mma")) return {};
  return {with_operand(line, 1, swap_elements(line.operands[1], 1, 2)),
          with_operand(line, 2, swap_elements(line.operands[2], 0, 1))};
}

Texts change_lanes(const PtxLine& line)
{
  if (line.is("shfl")) return {with_operand(line, 2, "0"), with_operand(line, 4, "65535")};
  if (line.is("redux")) return {with_operand(line, 2, "65535")};
  return {};
}

Texts remove_store(const PtxLine& line)
{
  const bool is_store = (line.is("st") && !line.has("local")) || line.is("atom") || line.is("red");
  return is_store ? Texts{""} : Texts{};
}

/// The register that an atomic returns its old value in is the temporary.
Texts split_atomic(const PtxLine& line)
{
  if (!line.is("atom")) return {};
  const std::vector<std::string>& o = line.operands;
  return {"ld.global.f32 " + o[0] + ", " + o[1] + "; add.f32 " + o[0] + ", " + o[0] + ", " + o[2] + "; st.global.f32 " +
          o[1] + ", " + o[0] + ";"};
}

constexpr std::array kRules{
    MutationRule{"barrier removed", "bar.sync removed, or for the warp only", true, remove_barrier},
    MutationRule{"wait weakened", "cp.async.wait_group removed, or one group fewer", true, weaken_wait},
    MutationRule{"commit removed", "cp.async.commit_group removed", true, remove_commit},
    MutationRule{"copy removed", "cp.async removed", false, remove_copy},
    MutationRule{"copy unbounded", "cp.async reads what it should fill with zeros", false, copy_out_of_bounds},
    MutationRule{"comparison shifted", "< for <=, > for >=", false, shift_comparison},
    MutationRule{"equality negated", "== for !=", false, negate_equality},
    MutationRule{"guard negated", "@p for @!p", false, negate_guard},
    MutationRule{"guard ignored", "a guarded instruction always or never", false, ignore_guard},
    MutationRule{"logic swapped", "and for or", false, swap_logic},
    MutationRule{"choices swapped", "p ? b : a for p ? a : b", false, swap_choices},
    MutationRule{"extremum swapped", "min for max", false, swap_extremum},
    MutationRule{"factor dropped", "a for a b, as a rescaling that is left out", false, drop_factor},
    MutationRule{"summand dropped", "a for a + b", false, drop_summand},
    MutationRule{"exponential dropped", "x for 2^x", false, drop_exponential},
    MutationRule{"address moved", "one element or chunk further on", false, move_address},
    MutationRule{"mma operands swapped", "registers of a fragment swapped", false, swap_matrix_operands},
    MutationRule{"lanes changed", "from the lane itself, or another member mask", false, change_lanes},
    MutationRule{"store removed", "a store or an atomic removed", false, remove_store},
    MutationRule{"atomic split", "an atomic addition as load, add, store", false, split_atomic},
};

}  // namespace

std::span<const MutationRule> mutation_rules() { return kRules; }

}  // namespace flashgate::gpu::mutation
