#pragma once

#include <string>
#include <vector>

#include "matrix/stored_matrix.h"
#include "reports/cell_history.h"

namespace flashgate::reports {

/// More executions than this are too many for a page: those that do not pass stay, then those nearest their bound.
inline constexpr std::size_t kMostExecutions = 20'000;

/// The data behind the matrix of the page as one JSON object, column by column; page/data.js reads it, and its head
/// says what the keys are. The same matrix gives the same bytes.
std::string matrix_json(const matrix::StoredMatrix& matrix, const matrix::RunRecord& run,
                        const std::vector<OlderRun>& history);

}  // namespace flashgate::reports
