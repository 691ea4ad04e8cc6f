#pragma once

#include "matrix/enumerator.h"
#include "matrix/execution_selection.h"
#include "matrix/subjects.h"
#include "matrix/suite.h"

namespace flashgate::matrix {

constexpr std::size_t kSmokeExecutions = 200;

/// What suite smoke executes for all built-in subjects.
inline ExecutionSelection smoke_selection()
{
  const auto cells = enumerate(load_suite(FLASHGATE_SOURCE_DIR "/suites", "smoke")).cells;
  return ExecutionSelection(collect_pins(cells, built_in_subjects(), 1), {.limit = kSmokeExecutions});
}

}  // namespace flashgate::matrix
