#pragma once

#include "sim/dispatch/request.h"
#include "sim/dispatch/symbol.h"

namespace flashgate::sim {

/// What a kernel generation can do on a device at all: one table, whoever asks. Two kinds of limits:
/// * loud: the kernel refuses at launch, in forward. For models and checkouts alike the plan is then not_supported,
///   which is no fault of the dispatcher that chose it.
/// * silent: the kernel runs, but it is not what was asked for (v3 not deterministic; v3 and v4 without dropout; v3,
/// whose
///   public entry refuses training=False). Who must serve the request chooses another one.

/// Why kernel `version` refuses `request` at launch; empty if it runs.
Symbol kernel_refusal(int version, const Request& request);

/// v3's backward is not deterministic under the legacy signature or above head dim 128: the silent limit behind check
/// I4. (v3's deterministic mode came with block_mask, and only for head_dim <= 128.)
bool v3_deterministic_unsupported(const Request& request);

/// True if kernel `version` does all that `request` asks, with neither a loud nor a silent limit in the way, with
/// `flags` in force. v4 must also be available on every rank of the group.
bool kernel_supports(int version, const Request& request, const VersionSettings& flags);

/// True if some generation not above `asked` supports `request`: fallbacks go down, never up.
bool some_kernel_supports(int asked, const Request& request, const VersionSettings& flags);

}  // namespace flashgate::sim
