#include "reports/file_names.h"

#include <set>

namespace flashgate::reports {
namespace {

constexpr std::size_t kLongest = 80;

bool is_letter_or_digit(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9'); }

std::string lower(std::string text)
{
  for (char& c : text)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  return text;
}

}  // namespace

std::string safe_file_name(std::string_view name)
{
  std::string result;
  for (const char c : name.substr(0, kLongest - 1))
    result += is_letter_or_digit(c) || c == '_' || c == '.' ? c : '-';
  if (result.empty() || !is_letter_or_digit(result.front())) result.insert(0, 1, '_');
  return result;
}

std::vector<std::string> distinct_file_names(const std::vector<std::string>& names)
{
  std::vector<std::string> result;
  std::set<std::string> taken;
  for (const std::string& name : names) {
    const std::string base = safe_file_name(name);
    std::string candidate = base;
    for (int n = 2; !taken.insert(lower(candidate)).second; ++n)
      candidate = base + "-" + std::to_string(n);
    result.push_back(candidate);
  }
  return result;
}

}  // namespace flashgate::reports
