#include "tests/gpu/mutation/ptx_line.h"

#include <algorithm>

namespace flashgate::gpu::mutation {
namespace {

std::string_view trimmed(std::string_view text)
{
  const std::size_t first = text.find_first_not_of(" \t");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t\r") - first + 1);
}

/// At `separator`, but not inside of brackets.
std::vector<std::string> split(std::string_view text, char separator)
{
  std::vector<std::string> parts;
  int depth = 0;
  std::size_t begin = 0;
  for (std::size_t at = 0; at <= text.size(); ++at) {
    const char c = at < text.size() ? text[at] : separator;
    depth += (c == '[' || c == '{') - (c == ']' || c == '}');
    if (c != separator || (depth != 0 && at < text.size())) continue;
    if (const std::string_view part = trimmed(text.substr(begin, at - begin)); !part.empty()) parts.emplace_back(part);
    begin = at + 1;
  }
  return parts;
}

/// Takes the first word off.
std::string_view take_word(std::string_view& text)
{
  const std::size_t end = std::min(text.find_first_of(" \t"), text.size());
  const std::string_view word = text.substr(0, end);
  text = trimmed(text.substr(end));
  return word;
}

}  // namespace

bool PtxLine::has(std::string_view part) const { return std::find(opcode.begin(), opcode.end(), part) != opcode.end(); }

std::optional<PtxLine> parse_line(std::string_view line)
{
  std::string_view text = trimmed(line);
  if (text.empty() || text.back() != ';' || text.find_first_of("./{$") == 0) return std::nullopt;
  text.remove_suffix(1);
  PtxLine parsed;
  if (text.front() == '@') {
    std::string_view guard = take_word(text).substr(1);
    parsed.guard_negated = guard.starts_with('!');
    parsed.guard = guard.substr(parsed.guard_negated ? 1 : 0);
  }
  parsed.opcode = split(take_word(text), '.');
  parsed.operands = split(text, ',');
  if (parsed.opcode.empty()) return std::nullopt;
  return parsed;
}

std::string to_text(const PtxLine& line)
{
  std::string text;
  if (!line.guard.empty()) text = (line.guard_negated ? "@!" : "@") + line.guard + " ";
  for (std::size_t i = 0; i < line.opcode.size(); ++i)
    text += (i == 0 ? "" : ".") + line.opcode[i];
  for (std::size_t i = 0; i < line.operands.size(); ++i)
    text += (i == 0 ? " " : ", ") + line.operands[i];
  return text + ";";
}

}  // namespace flashgate::gpu::mutation
