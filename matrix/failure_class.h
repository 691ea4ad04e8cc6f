#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "matrix/verdict.h"

namespace flashgate::matrix {

class Store;

/// Cells of one subject that break one check in the same way. If it is a check of plans they are named by a small
/// conjunction that covers them and no cell that passes the check: "flag_version=4 v4_available=no head_dim>128". Cells
/// where the check has no answer (it does not apply, the request is not supported) may lie under the conjunction too.
/// Any other failure is of an execution, which its finding names and which answers for cells all over the matrix, or of
/// a watched command's test, which has no axes.
struct FailureClass
{
  std::string subject;
  std::string check_id;
  Verdict verdict = Verdict::fail;
  std::string condition;  ///< Condition::text()
  std::string detail;     ///< the finding, equal for all its cells
  std::int64_t cells = 0;
  std::int64_t unexpected = 0;  ///< cells that no expectation covers
  std::string example_cell;     ///< the first of them, an unexpected one where there is one
  bool is_of_plans = true;      ///< else there is no condition
};

/// The failing classes of a run, by subject in the order of the run, then by check (those of plans first), the largest
/// first. A cell that fails as expected is in its class like any other.
std::vector<FailureClass> failure_classes(Store& store, std::int64_t run);

}  // namespace flashgate::matrix
