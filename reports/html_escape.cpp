#include "reports/html_escape.h"

#include "reports/plain_text.h"

namespace flashgate::reports {

std::string html_escape(std::string_view text, std::size_t longest)
{
  std::string result;
  for (const char c : shown_text(text, longest)) {
    switch (c) {
      case '&':
        result += "&amp;";
        break;
      case '<':
        result += "&lt;";
        break;
      case '>':
        result += "&gt;";
        break;
      case '"':
        result += "&quot;";
        break;
      case '\'':
        result += "&#39;";
        break;
      default:
        result += c;
    }
  }
  return result;
}

}  // namespace flashgate::reports
