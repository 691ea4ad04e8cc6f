#pragma once

#include <iosfwd>

#include "matrix/backend.h"
#include "matrix/numerics_case.h"
#include "matrix/verdict.h"

namespace flashgate::app {

/// Executes the case on the backend and says why it is judged as it is: the problem, what the mask lets see, the
/// worst element of each tensor with its tile, its visible keys, its bound and where the bound comes from, and every
/// finding. Returns the verdict.
matrix::Verdict explain_numerics(std::ostream& out, const matrix::NumericsCase& numerics,
                                 const matrix::Backend& backend);

}  // namespace flashgate::app
