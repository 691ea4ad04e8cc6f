#pragma once

#include <string_view>

namespace flashgate::reports {

/// The page's style sheet: light and dark by the reader's preference, narrow screens, print.
std::string_view html_style();

}  // namespace flashgate::reports
