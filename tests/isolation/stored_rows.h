#pragma once

#include <string>
#include <vector>

namespace flashgate::tests {

/// Every row of every table of a results database as text, but for what may differ between equal runs: times, and the
/// options a run was started with.
std::vector<std::string> stored_rows(const std::string& database);

}  // namespace flashgate::tests
