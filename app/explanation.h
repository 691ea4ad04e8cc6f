#pragma once

#include <iosfwd>

#include "matrix/cell.h"
#include "matrix/verdict.h"
#include "sim/dispatch/subject.h"

namespace flashgate::app {

/// Says what the cell asks for, axis by axis, and which kernels could serve it, with the reason of each that can't.
void explain_request(std::ostream& out, const matrix::Cell& cell);

/// Plans the cell and says every decision, what was launched, and what every check made of it. Ranks that decide alike
/// are shown once. Returns the cell's verdict.
matrix::Verdict explain_subject(std::ostream& out, const matrix::Cell& cell, const sim::Subject& subject);

}  // namespace flashgate::app
