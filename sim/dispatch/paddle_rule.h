#pragma once

#include "sim/dispatch/plan.h"
#include "sim/dispatch/request.h"
#include "sim/dispatch/tracer.h"

namespace flashgate::sim {

/// Which generation of Paddle's own `flashmask_attention` is installed. Paddle reads the flags itself and chooses a
/// kernel by its own rule; context parallel's forward goes through it.
enum class PaddleRule {
  by_signature,  ///< the rule that belongs to the request's signature (group's is taken as block_mask's)
  legacy,        ///< deterministic -> 2, else the flag; knows no xpu
  block_mask,    ///< xpu -> 2; flag 3, deterministic, head_dim > 128 -> 2; else the flag
  group,
  accepting,  ///< refuses nothing: an unknown flag runs the generic entry, v3. What a careless stub of Paddle does
};

/// What Paddle's function did: the kernel generation it launched, or the exception it raised (then version is 0).
struct PaddleChoice
{
  int version = 0;
  Symbol error_kind;
  Symbol error_message;
};

/// Asks Paddle's rule with `flags` in force and records its decisions.
PaddleChoice paddle_choose(PaddleRule rule, const Request& request, const VersionSettings& flags, Tracer& tracer);

}  // namespace flashgate::sim
