#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace flashgate::gpu::ptx {

/// Letters, digits, `_`, `$` and `%`: what names are made of.
bool is_name_character(char character);

/// A place in PTX text and the tokens from there on. Every function first passes white space and comments. Functions
/// that must find something throw Error("FILE:LINE: expected WHAT, found ...").
class Cursor
{
 public:
  /// `line` is that of the first character. Text and file name are not copied.
  Cursor(std::string_view text, std::uint32_t line, std::string_view file_name)
      : position_(text.data()), end_(text.data() + text.size()), line_(line), file_name_(file_name)
  {
  }

  bool at_end()
  {
    pass_space();
    return position_ == end_;
  }

  /// The next character; '\0' at the end.
  char peek() { return at_end() ? '\0' : *position_; }

  /// The character `ahead` of the next one, white space or not.
  char peek_at(int ahead) const { return end_ - position_ > ahead ? position_[ahead] : '\0'; }

  /// Line of the next token.
  std::uint32_t line()
  {
    pass_space();
    return line_;
  }

  bool accept(char character)
  {
    if (at_end() || *position_ != character) return false;
    ++position_;
    return true;
  }

  /// `word` as a whole name (or directive, if it starts with a dot).
  bool accept_word(std::string_view word);

  void expect(char character);

  /// A name that does not start with a digit.
  std::string_view identifier(std::string_view expected);

  /// `.word` with its dot, `::` included, e.g. ".shared::cta"; empty if there is none.
  std::string_view dotted_word();

  /// Name parts joined by dots: "ld.shared::cta.v4.b32", "%tid.x". May be a plain name.
  std::string_view dotted_name(std::string_view expected);

  /// What is between double quotes; PTX knows no escapes.
  std::string_view quoted();

  /// Digits, letters and what else belongs to the literal that starts here; the cursor does not move.
  std::string_view rest() const { return {position_, static_cast<std::size_t>(end_ - position_)}; }

  /// Passes `count` characters, none of them a line end.
  void advance(std::size_t count) { position_ += count; }

  /// Passes `{ ... }` with nested braces; strings and comments count as such. Returns it with the braces.
  std::string_view balanced_braces();

  /// Passes the arguments of a directive that is not understood: up to `;` or the end of the line, a block in braces
  /// as a whole. `{` and `;` are left alone if `stop_at_body`, as behind a function header.
  void skip_arguments(bool stop_at_body);

  [[noreturn]] void fail_expected(std::string_view expected);
  [[noreturn]] static void fail_at(std::string_view file_name, std::uint32_t line, const std::string& text);

  std::string_view file_name() const { return file_name_; }

 private:
  void pass_space()
  {
    // Most tokens follow each other or a blank.
    if (position_ != end_ && *position_ > '/') return;
    pass_space_slowly();
  }
  void pass_space_slowly();
  void pass_block_comment();
  void pass_line_comment();
  bool at_comment() const { return *position_ == '/' && (peek_at(1) == '/' || peek_at(1) == '*'); }
  void pass_string();
  std::string describe_next();

  const char* position_;
  const char* end_;
  std::uint32_t line_;
  std::string_view file_name_;
};

/// `text` in quotes for a message: at most 32 bytes of it, what does not print as \xNN.
std::string quote_for_message(std::string_view text);

}  // namespace flashgate::gpu::ptx
