#include "sim/process/plain_line.h"

#include "reference/shown_character.h"

namespace flashgate::sim {

std::string plain_line(std::string_view text, std::size_t most)
{
  std::string result;
  for (std::size_t at = 0; at < text.size();) {
    const reference::Utf8Character character = reference::first_character(text.substr(at));
    const std::size_t length = character.length == 0 ? 1 : character.length;
    if (result.size() + length > most) return result + "...";
    if (character.length != 0 && reference::is_shown(character.code))
      result += text.substr(at, length);
    else
      result.append(length, '?');
    at += length;
  }
  return result;
}

}  // namespace flashgate::sim
