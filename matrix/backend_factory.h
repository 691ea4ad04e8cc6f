#pragma once

#include <functional>
#include <memory>
#include <string>

#include "matrix/backend.h"

namespace flashgate::matrix {

/// Which backend is wanted. Plain text, so that another process can be asked for the same one.
struct BackendRequest
{
  std::string name;      ///< as in column execution.backend; empty: the best one that this build has
  std::string evidence;  ///< "L1" or "L2"; empty: what the backend gives without being asked for more
};

/// Makes a backend. Throws Error with one line: no such backend (the line names those there are), why it can't run
/// here, or an evidence level that it doesn't give.
using BackendFactory = std::function<std::unique_ptr<Backend>(const BackendRequest&)>;

/// The factory of this folder: reference-rounded alone.
std::unique_ptr<Backend> make_reference_backend(const BackendRequest& request);

}  // namespace flashgate::matrix
