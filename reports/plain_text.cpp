#include "reports/plain_text.h"

#include "reference/shown_character.h"

namespace flashgate::reports {
namespace {

bool is_continuation(char c) { return (static_cast<unsigned char>(c) & 0xC0) == 0x80; }

/// Offset of the code point after the one that starts at `at`.
std::size_t next_code_point(std::string_view text, std::size_t at)
{
  do
    ++at;
  while (at < text.size() && is_continuation(text[at]));
  return at;
}

/// Offset at which a line that starts at `begin` ends: before the last space that fits, or at `width` code points.
std::size_t line_end(std::string_view text, std::size_t begin, std::size_t width)
{
  std::size_t at = begin;
  std::size_t last_space = std::string_view::npos;
  for (std::size_t used = 0; at < text.size() && used < width; ++used) {
    if (text[at] == ' ' && at > begin) last_space = at;
    at = next_code_point(text, at);
  }
  if (at == text.size() || text[at] == ' ') return at;
  return last_space == std::string_view::npos ? at : last_space;
}

}  // namespace

std::string clean_text(std::string_view text, bool keep_newlines)
{
  std::string result;
  result.reserve(text.size());
  for (std::size_t at = 0; at < text.size();) {
    const reference::Utf8Character character = reference::first_character(text.substr(at));
    const bool is_newline = character.code == '\n' && character.length == 1;
    if (is_newline || text[at] == '\t')
      result += is_newline && keep_newlines ? '\n' : ' ';
    else if (character.length != 0 && reference::is_shown(character.code))
      result += text.substr(at, character.length);
    else
      result += kReplacement;
    at += character.length == 0 ? 1 : character.length;
  }
  return result;
}

std::size_t width_of(std::string_view text)
{
  std::size_t width = 0;
  for (const char c : text)
    width += is_continuation(c) ? 0 : 1;
  return width;
}

std::string cut_text(std::string_view text, std::size_t longest)
{
  if (text.size() <= longest || width_of(text) <= longest) return std::string(text);
  std::size_t at = 0;
  for (std::size_t used = 1; used < longest; ++used)
    at = next_code_point(text, at);
  return std::string(text.substr(0, at)) + "…";
}

/// A code point has at most four bytes, and each bad byte becomes one: four times `longest` bytes and one code point
/// more hold all that is shown, and tell whether something was cut.
std::string shown_text(std::string_view text, std::size_t longest, bool keep_newlines)
{
  return cut_text(clean_text(text.substr(0, 4 * longest + 4), keep_newlines), longest);
}

std::string pad_text(std::string_view text, std::size_t width)
{
  const std::size_t used = width_of(text);
  return std::string(text) + std::string(used < width ? width - used : 0, ' ');
}

std::vector<std::string> wrap_text(std::string_view text, std::size_t width)
{
  std::vector<std::string> lines;
  std::size_t begin = 0;
  do {
    const std::size_t end = line_end(text, begin, width);
    lines.emplace_back(text.substr(begin, end - begin));
    begin = end;
    while (begin < text.size() && text[begin] == ' ')
      ++begin;
  } while (begin < text.size());
  return lines;
}

std::string group_digits(std::int64_t number)
{
  std::string digits = std::to_string(number);
  const std::size_t first = number < 0 ? 1 : 0;
  for (std::size_t at = digits.size(); at > first + 3;)
    digits.insert(at -= 3, 1, ',');
  return digits;
}

std::string count_of(std::int64_t number, std::string_view noun)
{
  std::string text = group_digits(number) + " " + std::string(noun);
  if (number != 1) text += noun.ends_with('s') ? "es" : "s";
  return text;
}

}  // namespace flashgate::reports
