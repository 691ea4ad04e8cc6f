#pragma once

#include <filesystem>

#include "app/gate_run.h"
#include "reports/gate.h"

namespace flashgate::app {

/// Compares the runs, subject by subject, and joins the patch with the lines that were covered. Throws Error with one
/// line if base or dev can't be compared with: it has no such subject, lacks cells that head has, or answered none.
reports::GateReport make_gate_report(const GateRuns& runs, double least_coverage);

/// Draws what differs between the dispatchers of each pair of subjects into `folder`, and adds the pictures to the
/// report.
void draw_gate_graphs(reports::GateReport& report, const GateRuns& runs, const std::filesystem::path& folder);

}  // namespace flashgate::app
