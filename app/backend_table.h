#pragma once

#include <memory>
#include <span>
#include <string>

#include "matrix/backend_factory.h"

namespace flashgate::app {

/// A backend of this program. The table in backend_table.cpp is the only list of them.
struct BackendRow
{
  const char* name;
  const char* evidence;  ///< the levels it gives
  const char* what;      ///< one line

  /// Makes it for `request.evidence`. Throws Error with one line that says why it can't run here.
  std::unique_ptr<matrix::Backend> (*make)(const matrix::BackendRequest& request);
};
std::span<const BackendRow> backend_table();

/// Why a backend can't run here; empty if it can.
std::string why_not(const BackendRow& row);

/// The program's matrix::BackendFactory. The best backend is `emulated` where this build has kernels, else
/// `reference-rounded`.
std::unique_ptr<matrix::Backend> make_backend(const matrix::BackendRequest& request);

}  // namespace flashgate::app
