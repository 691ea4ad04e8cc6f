#pragma once

#include <string>

#include "matrix/store.h"

namespace flashgate::matrix {

/// Of this build and this machine.
Provenance current_provenance();

/// Now, UTC, "2026-07-01T12:00:00Z".
std::string utc_now();

/// "build/release/flashgate": how a user calls this program, for the lines they paste.
inline constexpr const char* kProgram = "build/release/flashgate";

}  // namespace flashgate::matrix
