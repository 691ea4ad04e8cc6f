#pragma once

#include <sys/types.h>

#include "matrix/backend_factory.h"

namespace flashgate::matrix {

/// The descriptors that a worker inherits.
inline constexpr int kWorkerSocket = 3;
inline constexpr int kWorkerStages = 4;

/// What a worker process does: answers the requests that come over kWorkerSocket, one after the other, until the other
/// side closes it, and shows on kWorkerStages what it is doing. Returns the exit status.
///
/// It ends with its supervisor `parent`; a fatal signal leaves a stack on standard error. What a backend throws is an
/// answer, like everything that execute() finds.
int serve_executions(pid_t parent, const BackendFactory& backends);

}  // namespace flashgate::matrix
