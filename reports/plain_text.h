#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace flashgate::reports {

/// U+FFFD, which stands for everything that can't be shown.
inline constexpr std::string_view kReplacement = "\xEF\xBF\xBD";

/// `text` fit to be shown anywhere: well-formed UTF-8 of characters that show themselves and do nothing else
/// (reference/shown_character.h); each offender becomes U+FFFD. Line feeds stay if `keep_newlines`, else they and tabs
/// become spaces. Texts come from other people's code: a report must not pass on what steers a terminal or a parser.
std::string clean_text(std::string_view text, bool keep_newlines = false);

/// Code points in well-formed UTF-8; near enough to columns for what reports print.
std::size_t width_of(std::string_view text);

/// `text` cut to `longest` code points, the last one then being "…". REQUIRES: well-formed UTF-8, longest > 0.
std::string cut_text(std::string_view text, std::size_t longest);

/// clean_text, cut to `longest` code points; looks at no more of `text` than that needs.
std::string shown_text(std::string_view text, std::size_t longest, bool keep_newlines = false);

/// `text` padded with spaces on the right to `width` columns.
std::string pad_text(std::string_view text, std::size_t width);

/// `text` as lines of at most `width` code points, broken at spaces where there are any. At least one line.
/// REQUIRES: well-formed UTF-8, width > 0.
std::vector<std::string> wrap_text(std::string_view text, std::size_t width);

/// 1234567 as "1,234,567".
std::string group_digits(std::int64_t number);

/// "1 cell", "1,234 cells": English plural by adding an s ("es" after s).
std::string count_of(std::int64_t number, std::string_view noun);

}  // namespace flashgate::reports
