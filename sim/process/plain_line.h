#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace flashgate::sim {

/// `text` from outside, fit to be stored and shown: one line, well-formed UTF-8, no control or bidirectional formatting
/// characters (each byte of them becomes '?'), at most `most` bytes, with "..." where it was cut.
std::string plain_line(std::string_view text, std::size_t most);

}  // namespace flashgate::sim
