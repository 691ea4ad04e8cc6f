#pragma once

#include <span>
#include <string>

#include "gpu/attention/attention_host.h"

namespace flashgate::app {

/// A right v2 forward that does one thing wrong besides, and the check of executions that must catch it.
struct SaboteurStep
{
  const char* check;
  const char* fault;  ///< what it does wrong
  const char* body;   ///< PTX of an entry that is launched after v2's own; empty: `change` does it
  unsigned blocks = 1;
  unsigned threads = 32;
  void (*change)(gpu::kernels::LaunchPlan&) = [](gpu::kernels::LaunchPlan&) {};
};
std::span<const SaboteurStep> saboteur_steps();

/// The kernels of `library` and the saboteur's entry.
gpu::attention::KernelLibrary with_saboteur(gpu::attention::KernelLibrary library, const SaboteurStep& step);

/// Planners that launch it after a forward.
gpu::attention::HostOptions sabotaged(const SaboteurStep& step);

}  // namespace flashgate::app
