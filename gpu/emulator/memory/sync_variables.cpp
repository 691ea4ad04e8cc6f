#include "gpu/emulator/memory/sync_variables.h"

#include <algorithm>

namespace flashgate::gpu {

void SyncVariables::wrote(std::uint64_t variable, WarpClock& clock, bool release)
{
  const std::uint32_t device = release ? clock.now : clock.fenced_gpu;
  const std::uint32_t block = std::max(device, clock.fenced_cta);
  if (block == 0) return;
  Published& published = variables_[variable];
  if (device != 0) published.device = CrossClock::join(published.device, clock.passed_on_across(device));
  if (block != device) {
    if (published.block_agent != clock.first_agent) published.block = nullptr;
    published.block_agent = clock.first_agent;
    published.block = CrossClock::join(published.block, clock.passed_on_across(block));
  }
  if (release) clock.tick();
}

void SyncVariables::read(std::uint64_t variable, WarpClock& clock, bool acquire) const
{
  if (variables_.empty()) return;
  const auto at = variables_.find(variable);
  if (at == variables_.end()) return;
  const Published& published = at->second;
  clock.heard = CrossClock::join(clock.heard, published.device);
  if (published.block_agent == clock.first_agent) clock.heard = CrossClock::join(clock.heard, published.block);
  if (acquire) clock.learn_heard();
}

}  // namespace flashgate::gpu
