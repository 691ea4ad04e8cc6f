#include "matrix/texts.h"

#include <fmt/format.h>
#include <xxhash.h>

#include "reference/shown_character.h"

namespace flashgate::matrix {
std::vector<std::string_view> split(std::string_view text, char separator)
{
  std::vector<std::string_view> parts;
  std::size_t begin = 0;
  for (std::size_t end; (end = text.find(separator, begin)) != std::string_view::npos; begin = end + 1)
    parts.push_back(text.substr(begin, end - begin));
  parts.push_back(text.substr(begin));
  return parts;
}

std::string_view trim(std::string_view text)
{
  constexpr std::string_view kSpace = " \t\r\n";
  const std::size_t first = text.find_first_not_of(kSpace);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(kSpace) - first + 1);
}

std::string printable(std::string_view text)
{
  constexpr std::size_t kLongest = 200;
  std::string result;
  for (std::size_t at = 0; at < text.size();) {
    const reference::Utf8Character character = reference::first_character(text.substr(at));
    if (result.size() + character.length > kLongest) return result + "...";
    if (character.length == 0 || !reference::is_shown(character.code))
      result += '?';
    else
      result += text.substr(at, character.length);
    at += character.length == 0 ? 1 : character.length;
  }
  return result;
}

std::size_t find_invalid_utf8(std::string_view text)
{
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t length = reference::first_character(text.substr(at)).length;
    if (length == 0) return at;
    at += length;
  }
  return std::string_view::npos;
}

std::string digest_of(std::string_view text)
{
  const XXH128_hash_t hash = XXH3_128bits(text.data(), text.size());
  return fmt::format("{:016x}{:016x}", hash.high64, hash.low64);
}

}  // namespace flashgate::matrix
