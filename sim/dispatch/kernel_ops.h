#pragma once

#include <string_view>

#include "sim/dispatch/plan.h"
#include "sim/dispatch/request.h"

namespace flashgate::sim {

/// The operators behind the three kernel generations: their names, how many positional arguments each takes under each
/// signature of Paddle's function, and the shape of their LSE. Paddle's naming trap: operator "flashmask_attention_v2"
/// is generation 3.

/// Operator of the forward (backward) kernel of generation `version`, masked or plain.
Symbol forward_kernel(int version, bool masked);
Symbol backward_kernel(int version, bool masked);

/// Positional arguments the forward (backward) operator takes under `signature`. v4 takes the rest by keyword.
int forward_arity(int version, bool masked, Signature signature);
int backward_arity(int version, bool masked, Signature signature);

/// Shape of the LSE that generation `version` makes and expects, for example "[b, h, round_up(sq, 128)]".
std::string_view lse_layout(int version);

/// "v2", "v3", "v4"; "v0", "v5" and so on for an invalid one up to 9.
Symbol version_name(int version);

/// A forward launch as a correct caller makes it: right arity, the scale and causal the request asked for, dropout
/// passed where the kernel has a parameter for it (v2 only). `flags` are those in force.
Launch forward_launch(const Request& request, int version, const VersionSettings& flags);

/// A backward launch as a correct caller makes it.
Launch backward_launch(const Request& request, int version, const VersionSettings& flags);

}  // namespace flashgate::sim
