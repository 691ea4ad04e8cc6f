#pragma once

#include <filesystem>
#include <functional>
#include <iosfwd>
#include <string_view>

namespace flashgate::reports {

/// Writes a file so that there is always either the old one or the whole new one: into "PATH.part", then renamed.
/// Throws Error with one line that names the file and the system's reason; no part file is left then.
void write_whole_file(const std::filesystem::path& path, const std::function<void(std::ostream&)>& write);

/// As above, for a text that is there already.
void write_whole_file(const std::filesystem::path& path, std::string_view text);

/// Makes the folder and those above it. Throws Error as above.
void make_folder(const std::filesystem::path& folder);

}  // namespace flashgate::reports
