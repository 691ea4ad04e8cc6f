#pragma once

#include <cstdint>
#include <string_view>

namespace flashgate::sim {

/// An interned text: a name of a decision, an outcome, an error. Plans carry symbols instead of strings, so that a plan
/// is cheap to make a million times a second and two traces can be compared by value.
///
/// Equal texts have equal symbols within one process; the number itself means nothing outside it and is never stored.
/// Thread rule: any thread may intern and read. A text lives until the process ends.
class Symbol
{
 public:
  /// The empty text.
  constexpr Symbol() = default;

  /// Interns `text`. Takes a lock: intern constants once, not in a loop.
  explicit Symbol(std::string_view text);

  /// The text that was interned.
  std::string_view text() const;

  bool empty() const { return id_ == 0; }
  std::uint32_t id() const { return id_; }
  bool operator==(const Symbol&) const = default;

 private:
  std::uint32_t id_ = 0;
};

}  // namespace flashgate::sim
