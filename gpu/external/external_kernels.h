#pragma once

#include <map>
#include <string>
#include <vector>

#include "gpu/emulator/ptx/module.h"
#include "gpu/external/kernel_map.h"

namespace flashgate::gpu::external {

/// A map's kernels, held against their PTX: how a call becomes launches. Immutable once made; any thread may use it.
class ExternalKernels
{
 public:
  /// Throws Error with the step's place ("map.toml:12: ...") if the PTX lacks an entry that the map's support asks for,
  /// or one takes other parameters than the map passes.
  explicit ExternalKernels(KernelMap map);

  const KernelMap& map() const { return map_; }

  /// Launches of the map's steps; module ptx_name of the map. Throws Error for what refusal() refuses, and, with the
  /// step's place, where an expression has no value that can be passed.
  kernels::LaunchPlan plan_forward(const reference::Problem& problem, const kernels::LaunchOptions& options) const;
  kernels::LaunchPlan plan_backward(const reference::Problem& problem, const kernels::LaunchOptions& options) const;

 private:
  /// An entry's parameter, as it lies in the bytes that a launch passes.
  struct Slot
  {
    ptx::Type type = ptx::Type::none;
    std::size_t offset = 0;
  };
  using Slots = std::vector<Slot>;

  void check(const ptx::Module& module, const MapStep& step);
  Slots slots_of(const ptx::Function& entry, const MapStep& step) const;
  kernels::LaunchPlan plan(const MapDirection& direction, const reference::Problem& problem,
                           const kernels::LaunchOptions& options, bool backward) const;
  kernels::LaunchStep launch(const MapStep& step, const reference::Problem& problem,
                             const kernels::AttentionParameters& shapes) const;

  KernelMap map_;
  std::map<std::string, Slots, std::less<>> slots_;  ///< by entry
};

}  // namespace flashgate::gpu::external
