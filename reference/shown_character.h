#pragma once

#include <cstddef>
#include <string_view>

namespace flashgate::reference {

/// A code point and how many bytes it takes in UTF-8.
struct Utf8Character
{
  std::size_t length = 0;  ///< 0: the text does not start with well-formed UTF-8
  char32_t code = 0;
};

/// The character at the start of `text`. REQUIRES: text is not empty.
Utf8Character first_character(std::string_view text);

/// True if `code` shows itself and does nothing else. False for what steers a terminal, a parser or the reader's eye:
/// control characters (C0, DEL, C1), line and paragraph separators, marks that turn the direction of a text or have no
/// width, interlinear and tag characters, and what is no character at all. Texts come from other people's code: every
/// folder that prints one asks here.
bool is_shown(char32_t code);

}  // namespace flashgate::reference
