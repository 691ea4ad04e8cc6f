#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace flashgate::matrix {

/// Ids of the tests of a watched command in the database at `path`, in order: a row "test:NAME" of table cell each,
/// whose axis columns are empty. The database must exist (Store::open_or_create). Errors as Store's.
std::vector<std::int64_t> intern_tests(const std::string& path, const std::vector<std::string>& names);

}  // namespace flashgate::matrix
