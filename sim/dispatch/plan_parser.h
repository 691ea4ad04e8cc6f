#pragma once

#include <nlohmann/json_fwd.hpp>

#include "sim/dispatch/subject_protocol.h"

namespace flashgate::sim {

/// A plan of the subject protocol, checked: every version, kernel, phase and count is one that there is, every text is
/// made printable and cut. ProtocolError that names what is wrong. Traces are cut after 400 steps.
WorldPlan parse_world_plan(const nlohmann::json& value);

/// {"FILE": [LINE, ...], ...}. ProtocolError if it isn't that, or has more than a million lines.
SourceLines parse_source_lines(const nlohmann::json& value);

}  // namespace flashgate::sim
