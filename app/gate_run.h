#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "app/command_line.h"
#include "matrix/runner.h"
#include "matrix/store.h"

namespace flashgate::app {

/// The run behind one side of a gate.
struct GateRun
{
  std::string name;  ///< as the user gave it
  std::string database;
  matrix::RunRecord run;
  std::vector<matrix::SubjectRecord> subjects;  ///< not empty
};

struct GateRuns
{
  GateRun base, head;
  std::optional<GateRun> dev;
};

/// How asking subjects ended, if not with a complete run.
struct GateStopped
{
  matrix::ExitCode exit_code = matrix::ExitCode::incomplete;
  std::string reason;
};

/// Finds the runs that the sides refer to; subjects are asked first, all in one run of the database in `folder`.
/// `stopped` is set, and the runs are of no use, if that run selected nothing or was stopped.
///
/// Throws Error with one line if a side can't be had: an unknown ref, subject or run, a database that is empty or of
/// another schema, a run of another suite or without cells.
GateRuns find_runs(const CommandLine& line, const std::filesystem::path& folder, std::optional<GateStopped>& stopped);

}  // namespace flashgate::app
