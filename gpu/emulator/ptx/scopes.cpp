#include "gpu/emulator/ptx/scopes.h"

#include <charconv>
#include <string>

namespace flashgate::gpu::ptx {
namespace {

/// "%r57" is "%r" and 57. False for a name without a number, and for one that a range cannot have made (leading zero,
/// more than nine digits).
bool split_number(std::string_view name, std::string_view& stem, std::uint32_t& number)
{
  std::size_t first = name.size();
  while (first > 0 && name[first - 1] >= '0' && name[first - 1] <= '9') {
    --first;
  }
  const std::size_t digits = name.size() - first;
  if (digits == 0 || digits > 9 || (digits > 1 && name[first] == '0')) return false;
  stem = name.substr(0, first);
  std::from_chars(name.data() + first, name.data() + name.size(), number);
  return true;
}

}  // namespace

void Scopes::add(Cursor& cursor, Table& table, const Declaration& declaration)
{
  const auto [entry, is_new] = table.try_emplace(declaration.name, declarations_.size());
  declarations_.push_back(declaration);
  if (is_new) return;
  if (entry->second >= opened_.back()) {
    cursor.fail_expected("a name that this scope does not have yet instead of " + quote_for_message(declaration.name));
  }
  declarations_.back().hidden = entry->second;
  entry->second = declarations_.size() - 1;
}

void Scopes::declare(Cursor& cursor, std::string_view name, const Meaning& meaning)
{
  add(cursor, plain_, {name, 0, meaning, kNothing});
}

void Scopes::declare_range(Cursor& cursor, std::string_view name, std::uint32_t count, const Meaning& first)
{
  if (count != 0) add(cursor, ranges_, {name, count, first, kNothing});
}

void Scopes::close()
{
  for (; declarations_.size() > opened_.back(); declarations_.pop_back()) {
    const Declaration& last = declarations_.back();
    Table& table = last.count == 0 ? plain_ : ranges_;
    if (last.hidden == kNothing) {
      table.erase(last.name);
    } else {
      table[last.name] = last.hidden;
    }
  }
  opened_.pop_back();
}

bool Scopes::find_in_range(std::string_view name, Meaning& meaning, std::size_t& declaration) const
{
  std::string_view stem;
  std::uint32_t number = 0;
  if (!split_number(name, stem, number)) return false;
  const auto entry = ranges_.find(stem);
  if (entry == ranges_.end()) return false;
  for (declaration = entry->second; declaration != kNothing; declaration = declarations_[declaration].hidden) {
    if (number >= declarations_[declaration].count) continue;  // an outer range of the same name may be longer
    meaning = declarations_[declaration].meaning;
    meaning.index += static_cast<std::int32_t>(number) * meaning.width;
    return true;
  }
  return false;
}

bool Scopes::find(std::string_view name, Meaning& meaning) const
{
  std::size_t in_range = 0;
  const bool found = find_in_range(name, meaning, in_range);
  const auto entry = plain_.find(name);
  if (entry == plain_.end() || (found && in_range > entry->second)) return found;
  meaning = declarations_[entry->second].meaning;
  return true;
}

}  // namespace flashgate::gpu::ptx
