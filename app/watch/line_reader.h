#pragma once

#include <optional>
#include <string>

namespace flashgate::app {

/// Puts together the lines of a descriptor that does not block.
class LineReader
{
 public:
  explicit LineReader(int descriptor) : descriptor_(descriptor) {}

  /// Reads what is there, once, 64 KiB at most; what it read is `fresh()`. False at the end, or if nothing is there.
  bool read();
  const std::string& fresh() const { return fresh_; }
  bool at_end() const { return at_end_; }

  /// The next whole line without its end; at the end of the descriptor also what has no line end. A line longer than
  /// 1 MiB comes in parts.
  std::optional<std::string> next_line();

  /// What came after the last line end: a line that is not whole yet, or empty.
  std::string unfinished() const { return pending_.substr(start_); }

 private:
  int descriptor_;
  bool at_end_ = false;
  std::string fresh_, pending_;
  std::size_t start_ = 0;  ///< in pending_, of the next line
};

/// `line` without the sequences that colour it, and without a carriage return at its end.
std::string without_colours(const std::string& line);

}  // namespace flashgate::app
