#pragma once

#include <string>
#include <string_view>

namespace flashgate::reports {

/// `text` as HTML that shows it, safe in elements and in quoted attributes alike: markup is escaped, what can't be
/// shown (control characters, broken UTF-8) becomes U+FFFD, line feeds become spaces, and more than `longest` code
/// points are cut. The one way by which any text that is not a literal of ours gets into a page.
std::string html_escape(std::string_view text, std::size_t longest = 2000);

}  // namespace flashgate::reports
