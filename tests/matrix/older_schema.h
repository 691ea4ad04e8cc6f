#pragma once

#include <string>

namespace flashgate::tests {

/// Takes a results database of the present schema back to an older version, 1 to the last but one: without the tables
/// and columns that came since, and with those that went. What they said is lost.
void take_back(const std::string& database, int version);

}  // namespace flashgate::tests
