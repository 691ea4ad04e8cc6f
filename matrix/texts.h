#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace flashgate::matrix {

/// The parts of `text` between `separator`s; an empty text has one empty part.
std::vector<std::string_view> split(std::string_view text, char separator);

/// `text` without white space at either end.
std::string_view trim(std::string_view text);

/// `text` fit for one line of a message: what can't be shown (reference/shown_character.h) and invalid UTF-8 become
/// '?', more than 200 bytes are cut.
std::string printable(std::string_view text);

/// XXH3-128 of `text`, 32 hexadecimal digits.
std::string digest_of(std::string_view text);

/// The offset of the first byte that is not well-formed UTF-8; npos if there is none.
std::size_t find_invalid_utf8(std::string_view text);

}  // namespace flashgate::matrix
