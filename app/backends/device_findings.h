#pragma once

#include <string_view>
#include <vector>

#include "gpu/attention/complaint.h"
#include "matrix/backend.h"

namespace flashgate::app {

/// The check of executions that a device's complaint belongs to. Empty: none, it is a warning about an idiom.
std::string_view check_of(const gpu::attention::Complaint& complaint);

/// One finding per check of executions, from the first complaint of its kind. `where` says how the device was set.
std::vector<matrix::ExecutionFinding> findings_of(const gpu::attention::Complaints& complaints, std::string_view where);

}  // namespace flashgate::app
