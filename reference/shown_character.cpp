#include "reference/shown_character.h"

#include <algorithm>
#include <iterator>

namespace flashgate::reference {
namespace {

struct CodeRange
{
  char32_t first, last;
};

constexpr CodeRange kNotShown[] = {
    {0x00, 0x1F},        // C0
    {0x7F, 0x9F},        // DEL and C1; a terminal takes U+009B for ESC [
    {0xAD, 0xAD},        // soft hyphen
    {0x61C, 0x61C},      // Arabic letter mark
    {0x180E, 0x180E},    // Mongolian vowel separator
    {0x200B, 0x200F},    // zero width; left-to-right and right-to-left marks
    {0x2028, 0x202E},    // line and paragraph separators; embeddings and overrides of direction
    {0x2060, 0x206F},    // word joiner, invisible operators, isolates of direction
    {0xFDD0, 0xFDEF},    // no characters
    {0xFEFF, 0xFEFF},    // byte order mark
    {0xFFF9, 0xFFFB},    // interlinear annotation
    {0xE0000, 0xE0FFF},  // tags
    {0x110000, ~char32_t{0}},
};

}  // namespace

Utf8Character first_character(std::string_view text)
{
  const auto lead = static_cast<unsigned char>(text[0]);
  if (lead < 0x80) return {1, lead};
  const std::size_t length = lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : 2;
  if (lead < 0xC2 || lead > 0xF4 || text.size() < length) return {};
  char32_t code = lead & (0xFF >> (length + 1));
  for (std::size_t i = 1; i < length; ++i) {
    const auto next = static_cast<unsigned char>(text[i]);
    if ((next & 0xC0) != 0x80) return {};
    code = code << 6 | (next & 0x3F);
  }
  constexpr char32_t kSmallest[] = {0, 0, 0x80, 0x800, 0x10000};
  const bool surrogate = code >= 0xD800 && code <= 0xDFFF;
  if (code < kSmallest[length] || surrogate || code > 0x10FFFF) return {};
  return {length, code};
}

bool is_shown(char32_t code)
{
  if ((code & 0xFFFE) == 0xFFFE) return false;  // the last two of every plane are no characters
  return std::none_of(std::begin(kNotShown), std::end(kNotShown),
                      [&](const CodeRange& range) { return code >= range.first && code <= range.last; });
}

}  // namespace flashgate::reference
