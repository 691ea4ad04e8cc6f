#include "reports/dot_text.h"

#include <algorithm>
#include <cmath>

#include "reports/plain_text.h"

namespace flashgate::reports {
namespace {

constexpr std::size_t kLineWidth = 24;
constexpr std::size_t kLongestLabel = 160;

std::string escaped(std::string_view clean)
{
  std::string result;
  for (const char c : clean) {
    if (c == '&') {
      result += "&amp;";
      continue;
    }
    if (c == '"' || c == '\\') result += '\\';
    result += c;
  }
  return result;
}

std::string escaped_lines(std::string_view text)
{
  std::string result;
  for (const std::string& line : wrap_text(shown_text(text, kLongestLabel), kLineWidth)) {
    if (!result.empty()) result += "\\n";
    result += escaped(line);
  }
  return result;
}

}  // namespace

std::string dot_string(std::string_view text, std::size_t longest) { return '"' + dot_line(text, longest) + '"'; }

std::string dot_line(std::string_view text, std::size_t longest) { return escaped(shown_text(text, longest)); }

std::string dot_label(std::string_view text) { return '"' + escaped_lines(text) + '"'; }

std::string dot_label(std::string_view text, std::string_view below)
{
  return '"' + escaped_lines(text) + "\\n" + escaped_lines(below) + '"';
}

double pen_width(std::int64_t plans)
{
  const double digits = std::log10(static_cast<double>(std::max<std::int64_t>(plans, 1)));
  return std::min(1.0 + digits * 5.0 / 6.0, 6.0);
}

}  // namespace flashgate::reports
