#include "reports/json_text.h"

#include <cmath>

#include <fmt/format.h>

#include "reports/plain_text.h"

namespace flashgate::reports {
namespace {

/// A page has room for a stack, not for a megabyte.
constexpr std::size_t kLongest = 4000;

}  // namespace

/// A comma unless this is the first of its kind, or the value of a key.
void JsonText::separate()
{
  if (json_.empty()) return;
  const char last = json_.back();
  if (last != '[' && last != '{' && last != ':') json_ += ',';
}

JsonText& JsonText::key(std::string_view name)
{
  text(name);
  json_ += ':';
  return *this;
}

JsonText& JsonText::number(std::int64_t value)
{
  separate();
  const fmt::format_int digits(value);
  json_.append(digits.data(), digits.size());
  return *this;
}

JsonText& JsonText::number(double value)
{
  if (!std::isfinite(value)) return raw("null");
  separate();
  fmt::format_to(std::back_inserter(json_), "{:.6g}", value);
  return *this;
}

JsonText& JsonText::text(std::string_view value) { return quoted(shown_text(value, kLongest, true)); }

JsonText& JsonText::long_text(std::string_view value) { return quoted(clean_text(value, true)); }

JsonText& JsonText::quoted(const std::string& clean)
{
  separate();
  json_ += '"';
  for (const char c : clean) {
    if (c == '"' || c == '\\') {
      json_ += '\\';
      json_ += c;
    } else if (c == '\n') {
      json_ += "\\n";
    } else {
      json_ += c;
    }
  }
  json_ += '"';
  return *this;
}

JsonText& JsonText::raw(std::string_view json)
{
  separate();
  json_ += json.empty() ? "null" : json;
  return *this;
}

}  // namespace flashgate::reports
