#pragma once

#include <string>

#include "matrix/stored_matrix.h"
#include "reports/html_page.h"

namespace flashgate::tests {

/// Two subjects on three cells: one passes, one is refused, one fails; one has an execution and an incident.
matrix::StoredMatrix example_matrix();

/// The same with `bad` in every text.
matrix::StoredMatrix matrix_full_of(const std::string& bad);

/// A page with something in every section. The graph of one subject is drawn, that of the other is not.
reports::PageContent example_page();

}  // namespace flashgate::tests
