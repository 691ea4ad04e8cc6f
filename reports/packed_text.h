#pragma once

#include <string>
#include <string_view>

namespace flashgate::reports {

/// `text` in base64 (RFC 4648, with padding), in one line.
std::string base64(std::string_view text);

/// `text` deflated (the zlib format, RFC 1950) and in base64: what a browser unpacks by itself with
/// DecompressionStream("deflate"). The same text gives the same bytes. Throws Error if memory runs out.
std::string packed_text(std::string_view text);

}  // namespace flashgate::reports
