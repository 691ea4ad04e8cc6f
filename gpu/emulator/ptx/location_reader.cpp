#include "gpu/emulator/ptx/location_reader.h"

#include <limits>

#include "gpu/emulator/ptx/number.h"

namespace flashgate::gpu::ptx {

LocationReader::Place LocationReader::read_place(Cursor& cursor)
{
  constexpr std::uint64_t kMost = std::numeric_limits<std::uint32_t>::max();
  const auto file = static_cast<std::uint32_t>(read_unsigned(cursor, kMost, "a file number"));
  const auto line = static_cast<std::uint32_t>(read_unsigned(cursor, kMost, "a line number"));
  const auto column = static_cast<std::uint32_t>(read_unsigned(cursor, kMost, "a column number"));
  return {file, line, column};
}

std::string_view LocationReader::read_function_name(Cursor& cursor) const
{
  const std::string_view label = cursor.identifier("a label of .debug_str");
  std::uint64_t offset = 0;
  if (cursor.accept('+')) offset = read_unsigned(cursor, std::numeric_limits<std::uint32_t>::max(), "an offset");
  const auto text = module_.info_strings.find(label);
  if (text == module_.info_strings.end() || offset > text->second.size()) return {};
  return std::string_view(text->second).substr(offset);
}

std::int32_t LocationReader::add(const Location& location)
{
  std::int32_t& latest = latest_.try_emplace({location.file, location.line, location.column}, kNone).first->second;
  if (latest != kNone) {
    const Location& known = locations_[static_cast<std::size_t>(latest)];
    if (known.function == location.function && known.inlined_at == location.inlined_at) return latest;
  }
  latest = static_cast<std::int32_t>(locations_.size());
  locations_.push_back(location);
  return latest;
}

std::int32_t LocationReader::read(Cursor& cursor)
{
  const Place place = read_place(cursor);
  Location location{place[0], place[1], place[2]};
  while (cursor.accept(',')) {
    if (cursor.accept_word("function_name")) {
      location.function = read_function_name(cursor);
    } else if (cursor.accept_word("inlined_at")) {
      const Place call = read_place(cursor);
      const auto known = latest_.find(call);
      location.inlined_at = known != latest_.end() ? known->second : add(Location{call[0], call[1], call[2]});
    } else {
      cursor.fail_expected("'function_name' or 'inlined_at'");
    }
  }
  return location.line == 0 ? kNone : add(location);
}

}  // namespace flashgate::gpu::ptx
