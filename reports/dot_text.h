#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace flashgate::reports {

/// `text` as a quoted DOT string that shows it and nothing else: cleaned, at most `longest` code points, with quotes,
/// backslashes (Graphviz reads \N, \G, \l ... in labels) and ampersands (it reads entities) escaped.
std::string dot_string(std::string_view text, std::size_t longest = 400);

/// The inside of dot_string, without the quotes, to be put together with line breaks.
std::string dot_line(std::string_view text, std::size_t longest = 400);

/// As dot_string, for a label: broken into lines of about 24 characters, at most 160 in all.
std::string dot_label(std::string_view text);

/// As dot_label, with a line of its own below: `text`, then `below`.
std::string dot_label(std::string_view text, std::string_view below);

/// Pen width of an edge that `plans` plans take, from 1 for one plan to 6 for a million.
double pen_width(std::int64_t plans);

}  // namespace flashgate::reports
