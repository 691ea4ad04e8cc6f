#pragma once

#include <string>

#include "reports/gate.h"

namespace flashgate::tests {

/// A gate that failed: a regression with places in a real checkout, one of a model, lost support, a difference to dev,
/// a changed route, an expected regression, a fix, and patch coverage below its limit. Every format has something to
/// say.
reports::GateReport failed_gate();

/// A gate that passed, with fixes only.
reports::GateReport passed_gate();

/// The failed gate with `text` wherever a subject, a ref, a commit's message or a source file gives the text.
reports::GateReport hostile_gate(const std::string& text);

}  // namespace flashgate::tests
