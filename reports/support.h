#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "matrix/stored_matrix.h"

namespace flashgate::reports {

/// What becomes of requests: they run to their end, are refused, or are answered wrongly.
struct SupportCounts
{
  std::int64_t served = 0, refused = 0, failing = 0;
};

/// One subject's table head dim x device.
struct SubjectSupport
{
  std::string subject;
  std::vector<std::string> head_dims;  ///< "192" or "192/128", in the order of the axis
  std::vector<std::string> devices;
  std::vector<SupportCounts> counts;  ///< head dim by head dim
};

/// The subject turned the row's request away, or nobody knows what it would do.
bool is_refused(const matrix::StoredMatrix& matrix, const matrix::MatrixRow& row);

/// Counts every cell of every subject, whatever its other axes say. A cell with a failing verdict is failing, one whose
/// rank 0 has an error is refused, any other is served. Empty if no row is of a dispatcher (a watched command's tests).
std::vector<SubjectSupport> find_support(const matrix::StoredMatrix& matrix);

}  // namespace flashgate::reports
