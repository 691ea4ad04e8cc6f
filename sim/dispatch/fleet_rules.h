#pragma once

#include "sim/dispatch/rank_planner.h"

namespace flashgate::sim {

/// The version rules of PaddleFleet's revisions, as decision tables: each takes the first row that matches and records
/// every row it asks. They return the version asked for, which may be invalid.

/// Context parallel since H1: (block_mask or group signature, deterministic, head_dim > 128) or (legacy, deterministic)
/// -> 2; else the setting's version.
int deterministic_rule(const VersionSettings& settings, RankPlanner& planner);

/// Context parallel of D: the deterministic rule only if the flag is 3.
int deterministic_rule_for_flag_3(const VersionSettings& settings, RankPlanner& planner);

/// Context parallel's backward of H0: deterministic -> 2 always; else the flag.
int deterministic_always_2(const VersionSettings& settings, RankPlanner& planner);

/// Refined recompute of A and C: xpu -> 2; the deterministic rule; 4 without v4 -> 3; the flag.
int recompute_rule_a(const VersionSettings& settings, RankPlanner& planner);

/// Refined recompute of D: xpu -> 2; the deterministic rule only if the flag is 3; then 4 without v4 -> 3, to which no
/// deterministic rule is applied any more; the flag.
int recompute_rule_d(const VersionSettings& settings, RankPlanner& planner);

/// Raises the ValueError of Fleet's last branch for a version without a kernel. Always false.
bool raise_unsupported_version(int version, RankPlanner& planner);

}  // namespace flashgate::sim
