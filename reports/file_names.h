#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace flashgate::reports {

/// `name` as a file name that is safe everywhere and needs no quoting in a URL: letters, digits, '_', '-' and '.', at
/// most 80 characters, never starting with '.' or '-', never empty. "model:fleet-d" is "model-fleet-d".
std::string safe_file_name(std::string_view name);

/// safe_file_name of each name, made distinct by "-2", "-3" where two would collide. Case alone does not tell names
/// apart, since some file systems ignore it.
std::vector<std::string> distinct_file_names(const std::vector<std::string>& names);

}  // namespace flashgate::reports
