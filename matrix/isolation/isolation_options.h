#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace flashgate::matrix {

/// How executions are kept apart from the run that asks for them.
struct IsolationOptions
{
  /// The program that calls serve_executions() and its arguments; the supervisor's process number is added as the last.
  /// Empty: no isolation, executions run on threads.
  std::vector<std::string> program;
  std::string logs;  ///< folder for the evidence of each incident, made when the first comes; empty: none is written

  double timeout_seconds = 60;          ///< longest time without progress of a cheap case; a dear one has more
  double total_factor = 10;             ///< so many times as long a case may take that does show progress
  std::int64_t memory_mib = 4096;       ///< most resident memory of a worker; 0: no limit
  std::int64_t cases_per_worker = 500;  ///< after so many a worker is replaced by a fresh one
};

}  // namespace flashgate::matrix
