#include "reports/repro_line.h"

namespace flashgate::reports {
namespace {

std::string single_quoted(std::string_view text)
{
  std::string result = "'";
  for (const char c : text) {
    if (c == '\'')
      result += "'\\''";
    else
      result += c;
  }
  return result + "'";
}

}  // namespace

std::string shell_word(std::string_view text)
{
  constexpr std::string_view kSafe = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+.,:/@%=";
  const bool safe = !text.empty() && text.find_first_not_of(kSafe) == std::string_view::npos;
  return safe ? std::string(text) : single_quoted(text);
}

std::string repro_line(std::string_view cell, std::string_view subject)
{
  return "build/release/flashgate repro " + single_quoted(cell) + " --subject " + shell_word(subject);
}

}  // namespace flashgate::reports
