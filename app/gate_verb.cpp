#include <filesystem>
#include <iostream>

#include <fmt/format.h>

#include "app/command_line.h"
#include "app/gate_report.h"
#include "app/gate_run.h"
#include "reports/gate_writers.h"
#include "reports/whole_file.h"

namespace flashgate::app {
namespace {

namespace fs = std::filesystem;

/// A file of every format in the folder, and the format asked for where it was asked for.
void write_reports(const reports::GateReport& report, const CommandLine& line, const fs::path& folder)
{
  reports::make_folder(folder);
  for (const reports::GateFormat& format : reports::gate_formats()) {
    const std::string text = format.write(report);
    reports::write_whole_file(folder / format.file, text);
    if (format.name != line.gate.format) continue;
    if (line.gate.file.empty())
      std::cout << text << std::flush;
    else
      reports::write_whole_file(line.gate.file, text);
  }
}

}  // namespace

int gate_verb(const CommandLine& line)
{
  const fs::path folder = line.output.empty() ? fs::path("out") / "gate" : fs::path(line.output);
  std::optional<GateStopped> stopped;
  const GateRuns runs = find_runs(line, folder, stopped);
  if (stopped) {
    std::cerr << fmt::format("flashgate: {}\n", stopped->reason);
    return static_cast<int>(stopped->exit_code);
  }
  reports::GateReport report = make_gate_report(runs, line.gate.least_coverage);
  draw_gate_graphs(report, runs, folder / "graphs");
  write_reports(report, line, folder);
  return static_cast<int>(report.fails() ? matrix::ExitCode::failures : matrix::ExitCode::as_expected);
}

}  // namespace flashgate::app
