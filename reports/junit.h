#pragma once

#include <string>

#include "reports/summary.h"

namespace flashgate::reports {

/// The summary as JUnit XML: a suite per subject, a case per check. A case with unexpected failures has a `failure`
/// with its classes; one that was not supported or skipped on every cell is `skipped`; expected failures go to
/// `system-out`. A run without any verdict, or an incomplete one, has a failing case even if no check failed: nobody
/// may take it for green.
std::string junit_xml(const RunSummary& summary);

}  // namespace flashgate::reports
