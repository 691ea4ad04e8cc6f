#include "reports/markdown_text.h"

#include <algorithm>

#include "reports/plain_text.h"

namespace flashgate::reports {
namespace {

/// Kept free for the last lines, "... more".
constexpr std::size_t kReserve = 500;
constexpr std::size_t kLongestSpan = 8000;

std::size_t longest_run(std::string_view text, char wanted)
{
  std::size_t longest = 0, run = 0;
  for (const char c : text)
    longest = std::max(longest, run = c == wanted ? run + 1 : 0);
  return longest;
}

}  // namespace

std::string code_span(std::string_view text, bool in_table)
{
  const std::string clean = shown_text(text, kLongestSpan);
  if (clean.find_first_not_of(' ') == std::string::npos) return "` `";
  const std::string fence(longest_run(clean, '`') + 1, '`');
  const std::string pad = clean.front() == '`' || clean.back() == '`' ? " " : "";
  std::string shown;
  for (const char c : clean) {
    if (c == '|' && in_table) shown += '\\';
    shown += c;
  }
  return fence + pad + shown + pad + fence;
}

std::string code_block(std::string_view text, std::string_view language)
{
  std::string clean = clean_text(text, true);
  if (!clean.ends_with('\n')) clean += '\n';
  const std::string fence(std::max<std::size_t>(3, longest_run(clean, '`') + 1), '`');
  return fence + std::string(language) + "\n" + clean + fence + "\n";
}

bool MarkdownBudget::add(const std::string& piece)
{
  if (text_.size() + piece.size() > kMostMarkdown - kReserve) return false;
  text_ += piece;
  return true;
}

}  // namespace flashgate::reports
