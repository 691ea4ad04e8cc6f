#include "reference/shown_character.h"

#include <string_view>

#include <doctest/doctest.h>

namespace flashgate::reference {

TEST_CASE("a character is as long as UTF-8 says, and what is malformed has no length")
{
  const struct
  {
    std::string_view text;
    std::size_t length;
    char32_t code;
  } rows[] = {
      {"a", 1, 'a'},
      {"\x7F", 1, 0x7F},
      {"ü.", 2, 0xFC},
      {"✓.", 3, 0x2713},
      {"😀.", 4, 0x1F600},
      {"\xF4\x8F\xBF\xBF", 4, 0x10FFFF},
      {"\x80", 0, 0},              // a continuation alone
      {"\xC1\xBF", 0, 0},          // overlong
      {"\xE0\x9F\xBF", 0, 0},      // overlong
      {"\xF0\x8F\xBF\xBF", 0, 0},  // overlong
      {"\xED\xA0\x80", 0, 0},      // a surrogate
      {"\xF4\x90\x80\x80", 0, 0},  // beyond Unicode
      {"\xE2\x82", 0, 0},          // cut off
      {"\xC3(", 0, 0},
      {"\xFF", 0, 0},
  };
  for (const auto& [text, length, code] : rows) {
    const Utf8Character character = first_character(text);
    CHECK(character.length == length);
    CHECK(character.code == code);
  }
}

TEST_CASE("characters that steer instead of showing themselves are told from the others")
{
  for (const char32_t code : {U'\n',     U'\x1b',   U'\u0085', U'\u00AD', U'\u061C',     U'\u200B',    U'\u200D',
                              U'\u200F', U'\u2028', U'\u202A', U'\u202E', U'\u2060',     U'\u2066',    U'\u2069',
                              U'\uFEFF', U'\uFFF9', U'\uFFFE', U'\uFDD0', U'\U0001FFFF', U'\U000E0020'})
    CHECK_FALSE(is_shown(code));
  for (const char32_t code : {U' ', U'~', U'\u00A0', U'\u00E9', U'\u2010', U'\u2027', U'\u202F', U'\u2070', U'\uFFFD',
                              U'\U0001F600', U'\u65E5'})
    CHECK(is_shown(code));
}

}  // namespace flashgate::reference
