#include "matrix/source_place.h"

#include <charconv>

#include <fmt/format.h>

#include "matrix/texts.h"

namespace flashgate::matrix {
namespace {

/// "FILE:LINE"; no place if it is anything else.
SourcePlace parse_place(std::string_view text)
{
  const std::size_t colon = text.rfind(':');
  if (colon == std::string_view::npos || colon == 0) return {};
  const std::string_view digits = text.substr(colon + 1);
  int line = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), line);
  if (error != std::errc() || end != digits.data() + digits.size() || line <= 0) return {};
  return {std::string(text.substr(0, colon)), line};
}

}  // namespace

std::string SourcePlace::text() const { return line > 0 ? fmt::format("{}:{}", file, line) : std::string(); }

PlacedText split_place(std::string_view decision)
{
  if (const std::size_t open = decision.rfind(" ["); decision.ends_with(']') && open != std::string_view::npos) {
    SourcePlace place = parse_place(decision.substr(open + 2, decision.size() - open - 3));
    if (place) return {std::string(trim(decision.substr(0, open))), std::move(place)};
  }
  // The first ": " that a line number stands before: conditions have colons of their own.
  for (std::size_t end = decision.find(": "); end != std::string_view::npos; end = decision.find(": ", end + 1))
    if (SourcePlace place = parse_place(decision.substr(0, end)); place)
      return {std::string(trim(decision.substr(end + 2))), std::move(place)};
  return {std::string(decision), {}};
}

}  // namespace flashgate::matrix
