#include "sim/process/plain_line.h"

namespace flashgate::sim {
namespace {

struct Character
{
  std::size_t length = 0;  ///< 0: malformed
  char32_t code = 0;
};

/// The well-formed UTF-8 character at the start of `text`.
Character first_character(std::string_view text)
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

bool is_plain(char32_t code)
{
  const bool control = code < 0x20 || (code >= 0x7F && code < 0xA0);
  const bool separator = code == 0x2028 || code == 0x2029;
  const bool bidirectional =
      (code >= 0x200E && code <= 0x200F) || (code >= 0x202A && code <= 0x202E) || (code >= 0x2066 && code <= 0x2069);
  return !control && !separator && !bidirectional;
}

}  // namespace

std::string plain_line(std::string_view text, std::size_t most)
{
  std::string result;
  for (std::size_t at = 0; at < text.size();) {
    const Character character = first_character(text.substr(at));
    const std::size_t length = character.length == 0 ? 1 : character.length;
    if (result.size() + length > most) return result + "...";
    if (character.length != 0 && is_plain(character.code))
      result += text.substr(at, length);
    else
      result.append(length, '?');
    at += length;
  }
  return result;
}

}  // namespace flashgate::sim
