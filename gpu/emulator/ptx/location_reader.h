#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <string_view>
#include <vector>

#include "gpu/emulator/ptx/cursor.h"
#include "gpu/emulator/ptx/module.h"

namespace flashgate::gpu::ptx {

/// Reads `.loc` directives of one body into a list of locations.
///
/// `inlined_at` names only file, line and column of the call. Compilers write that place as a `.loc` of its own in
/// front, so its chain is that of the latest location there.
class LocationReader
{
 public:
  LocationReader(const Module& module, std::vector<Location>& locations) : module_(module), locations_(locations) {}

  /// Reads what follows `.loc`. Returns the index of the location, or kNone for line 0, which means that instructions
  /// stay where they were.
  std::int32_t read(Cursor& cursor);

 private:
  using Place = std::array<std::uint32_t, 3>;  ///< file, line, column

  static Place read_place(Cursor& cursor);
  std::string_view read_function_name(Cursor& cursor) const;
  std::int32_t add(const Location& location);

  const Module& module_;
  std::vector<Location>& locations_;
  std::map<Place, std::int32_t> latest_;
};

}  // namespace flashgate::gpu::ptx
