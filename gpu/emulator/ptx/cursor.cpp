#include "gpu/emulator/ptx/cursor.h"

#include <algorithm>
#include <array>
#include <cstring>

#include "reference/error.h"

namespace flashgate::gpu::ptx {
namespace {

constexpr std::array<bool, 256> name_characters()
{
  std::array<bool, 256> table{};
  for (const char character : std::string_view("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_$%")) {
    table[static_cast<unsigned char>(character)] = true;
  }
  return table;
}

constexpr std::array<bool, 256> kNameCharacters = name_characters();

bool is_digit(char character) { return character >= '0' && character <= '9'; }

/// `.` or `::` with a name behind it: how many characters it has, else 0.
int separator_length(const char* position, const char* end)
{
  const int length = *position == '.' ? 1 : 2;
  if (end - position <= length || !is_name_character(position[length])) return 0;
  return *position == '.' || (position[0] == ':' && position[1] == ':') ? length : 0;
}

}  // namespace

bool is_name_character(char character) { return kNameCharacters[static_cast<unsigned char>(character)]; }

std::string quote_for_message(std::string_view text)
{
  constexpr std::size_t kLongest = 32;
  constexpr std::string_view kHex = "0123456789abcdef";
  std::string quoted = "'";
  for (const char character : text.substr(0, kLongest)) {
    if (character >= ' ' && character <= '~') {
      quoted += character;
    } else {
      const auto byte = static_cast<unsigned char>(character);
      quoted += {'\\', 'x', kHex[byte / 16], kHex[byte % 16]};
    }
  }
  return quoted + (text.size() > kLongest ? "...'" : "'");
}

void Cursor::fail_at(std::string_view file_name, std::uint32_t line, const std::string& text)
{
  throw Error(std::string(file_name) + ":" + std::to_string(line) + ": " + text);
}

void Cursor::fail_expected(std::string_view expected)
{
  const std::string found = describe_next();
  fail_at(file_name_, line_, "expected " + std::string(expected) + ", found " + found);
}

std::string Cursor::describe_next()
{
  if (at_end()) return "the end of the text";
  const char* const first = *position_ == '.' ? position_ + 1 : position_;
  const char* last = std::find_if_not(first, end_, is_name_character);
  if (last == position_) ++last;
  return quote_for_message({position_, static_cast<std::size_t>(last - position_)});
}

void Cursor::pass_space_slowly()
{
  while (position_ != end_) {
    switch (*position_) {
      case '\n':
        ++line_;
        [[fallthrough]];
      case ' ':
      case '\t':
      case '\r':
      case '\v':
      case '\f':
        ++position_;
        break;
      case '/':
        if (!at_comment()) return;
        peek_at(1) == '/' ? pass_line_comment() : pass_block_comment();
        break;
      default:
        return;
    }
  }
}

void Cursor::pass_line_comment()
{
  const void* line_end = std::memchr(position_, '\n', static_cast<std::size_t>(end_ - position_));
  position_ = line_end == nullptr ? end_ : static_cast<const char*>(line_end);
}

void Cursor::pass_block_comment()
{
  const std::size_t length = rest().find("*/", 2);
  if (length == std::string_view::npos) fail_at(file_name_, line_, "expected '*/' to end this comment, found none");
  line_ += static_cast<std::uint32_t>(std::count(position_, position_ + length, '\n'));
  position_ += length + 2;
}

void Cursor::pass_string()
{
  const std::size_t length = rest().find_first_of("\"\n", 1);
  if (length == std::string_view::npos || position_[length] == '\n') {
    fail_at(file_name_, line_, "expected '\"' to end this string, found the end of the line");
  }
  position_ += length + 1;
}

bool Cursor::accept_word(std::string_view word)
{
  pass_space();
  if (!rest().starts_with(word)) return false;
  if (is_name_character(peek_at(static_cast<int>(word.size())))) return false;
  position_ += word.size();
  return true;
}

void Cursor::expect(char character)
{
  if (!accept(character)) fail_expected(std::string{'\'', character, '\''});
}

std::string_view Cursor::identifier(std::string_view expected)
{
  if (at_end() || !is_name_character(*position_) || is_digit(*position_)) fail_expected(expected);
  const char* const first = position_;
  position_ = std::find_if_not(position_, end_, is_name_character);
  return {first, static_cast<std::size_t>(position_ - first)};
}

std::string_view Cursor::dotted_word()
{
  if (at_end() || *position_ != '.' || !is_name_character(peek_at(1))) return {};
  const char* const first = position_;
  do {
    position_ = std::find_if_not(position_ + (*position_ == '.' ? 1 : 2), end_, is_name_character);
  } while (position_ != end_ && *position_ == ':' && separator_length(position_, end_) != 0);
  return {first, static_cast<std::size_t>(position_ - first)};
}

std::string_view Cursor::dotted_name(std::string_view expected)
{
  const char* const first = identifier(expected).data();
  while (position_ != end_) {
    const int separator = separator_length(position_, end_);
    if (separator == 0) break;
    position_ = std::find_if_not(position_ + separator, end_, is_name_character);
  }
  return {first, static_cast<std::size_t>(position_ - first)};
}

std::string_view Cursor::quoted()
{
  if (peek() != '"') fail_expected("a string");
  const char* const first = position_ + 1;
  pass_string();
  return {first, static_cast<std::size_t>(position_ - 1 - first)};
}

std::string_view Cursor::balanced_braces()
{
  if (peek() != '{') fail_expected("'{'");
  const char* const first = position_;
  const std::uint32_t first_line = line_;
  std::size_t depth = 0;
  do {
    position_ =
        std::find_if(position_, end_, [](char c) { return c == '{' || c == '}' || c == '\n' || c == '/' || c == '"'; });
    if (position_ == end_) fail_at(file_name_, first_line, "expected '}' to end this block, found the end of the text");
    if (*position_ == '/' && at_comment()) {
      pass_space_slowly();
    } else if (*position_ == '"') {
      pass_string();
    } else {
      depth += *position_ == '{' ? 1 : 0;
      depth -= *position_ == '}' ? 1 : 0;
      line_ += *position_ == '\n' ? 1 : 0;
      ++position_;
    }
  } while (depth != 0);
  return {first, static_cast<std::size_t>(position_ - first)};
}

void Cursor::skip_arguments(bool stop_at_body)
{
  const std::uint32_t first_line = line_;
  while (!at_end() && line_ == first_line) {
    if (stop_at_body && (*position_ == '{' || *position_ == ';')) return;
    if (*position_ == '{') {
      balanced_braces();
      return;
    }
    if (*position_ == '"') {
      pass_string();
    } else if (*position_++ == ';') {
      return;
    }
  }
}

}  // namespace flashgate::gpu::ptx
