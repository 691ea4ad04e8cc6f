#pragma once

#include <string>
#include <string_view>

namespace flashgate::reports {

/// A comment on GitHub may have 65,536 characters.
inline constexpr std::size_t kMostMarkdown = 60000;

/// `text` as a code span that shows it, cleaned and at most 8,000 code points long; `in_table` also escapes the column
/// separator.
std::string code_span(std::string_view text, bool in_table = false);

/// `text` as a fenced code block, cleaned line by line; nothing in it can end the block.
std::string code_block(std::string_view text, std::string_view language);

/// Markdown that takes further pieces as long as they fit into kMostMarkdown, with room for a last line.
class MarkdownBudget
{
 public:
  /// False if the piece did not fit, and nothing was added.
  bool add(const std::string& piece);
  std::string take(const std::string& last) { return std::move(text_) + last; }

 private:
  std::string text_;
};

}  // namespace flashgate::reports
