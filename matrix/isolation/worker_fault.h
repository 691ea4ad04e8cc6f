#pragma once

#include <string>
#include <string_view>

#include "matrix/execution.h"
#include "sim/process/child_process.h"

namespace flashgate::matrix {

/// Why a worker gave no answer. `line` is the same whenever the same thing happens: no process number, no time.
struct WorkerFault
{
  std::string_view check_id;  ///< crash, hang, timeout, memory or protocol
  Verdict verdict = Verdict::crash;
  std::string line;
};

/// The worker ended by itself. `log` is the end of what it printed.
WorkerFault ended(const sim::Ending& ending, const std::string& log);
/// It has shown no progress for so long. `half_answer`: bytes of an answer that has only begun.
WorkerFault hangs(double seconds, std::size_t half_answer);
/// It goes on and on.
WorkerFault takes_too_long(double seconds);
WorkerFault needs_memory(std::int64_t limit_mib);
WorkerFault breaks_protocol(const std::string& what);

/// What is known about a worker at the moment of a fault.
struct FaultScene
{
  std::string stage;      ///< what it was doing
  double seconds = 0;     ///< since it was asked
  std::string processes;  ///< /proc and stacks of its tree; empty if it has ended
  std::string log;        ///< the end of what it printed
};

/// The result of the execution that the worker was busy with: the fault as its finding, the scene as its incident.
ExecutionResult faulted_execution(const NumericsCase& numerics, const Backend& backend, const WorkerFault& fault,
                                  const FaultScene& scene);

/// What a first, failing attempt is worth when the case has been run again, alone in a fresh worker: the same verdict
/// stands; a second attempt that does not fail makes it a flake; of two that fail in different ways the worse stands,
/// with the evidence of both.
ExecutionResult settle(ExecutionResult first, ExecutionResult again);

}  // namespace flashgate::matrix
