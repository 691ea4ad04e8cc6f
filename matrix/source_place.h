#pragma once

#include <string>
#include <string_view>

namespace flashgate::matrix {

/// A line of a subject's source; none for decisions of models.
struct SourcePlace
{
  std::string file;  ///< relative to the checkout's root
  int line = 0;      ///< from 1; 0: no place

  explicit operator bool() const { return line > 0; }
  bool operator==(const SourcePlace&) const = default;

  /// "FILE:LINE", empty for no place.
  std::string text() const;
};

/// A decision's text without its place, and its place.
struct PlacedText
{
  std::string text;
  SourcePlace place;
};

/// Takes the place off a decision's text, "CONDITION  [FILE:LINE]" or "FILE:LINE: CONDITION". Lines move from commit to
/// commit, so only what is left says whether two commits ask the same question.
PlacedText split_place(std::string_view decision);

}  // namespace flashgate::matrix
