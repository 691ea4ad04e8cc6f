#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

namespace flashgate::reports {

/// Appends JSON to a text. For the page's data: columns of a million numbers, which a tree of JSON values would be too
/// slow and too large for. Texts are cleaned and cut as in the rest of the page. Commas come by themselves.
class JsonText
{
 public:
  /// `{ ... }` and `[ ... ]`: calls `fill()` in between.
  template <typename Fill>
  JsonText& object(Fill&& fill)
  {
    return bracketed('{', '}', std::forward<Fill>(fill));
  }
  template <typename Fill>
  JsonText& array(Fill&& fill)
  {
    return bracketed('[', ']', std::forward<Fill>(fill));
  }

  JsonText& key(std::string_view name);
  JsonText& number(std::int64_t value);
  JsonText& number(double value);  ///< with six significant digits; null for what is not finite
  JsonText& text(std::string_view value);
  JsonText& long_text(std::string_view value);  ///< cleaned, but whole
  JsonText& raw(std::string_view json);         ///< JSON already; `null` for an empty text

  /// `[...]` of what `write(element)` writes.
  template <typename Range, typename Write>
  JsonText& list(const Range& range, Write&& write)
  {
    return array([&] {
      for (const auto& element : range)
        write(element);
    });
  }

  const std::string& str() const { return json_; }

 private:
  template <typename Fill>
  JsonText& bracketed(char open, char close, Fill&& fill)
  {
    separate();
    json_ += open;
    fill();
    json_ += close;
    return *this;
  }
  void separate();
  JsonText& quoted(const std::string& clean);

  std::string json_;
};

}  // namespace flashgate::reports
