#pragma once

#include <cstdint>
#include <vector>

#include "gpu/emulator/launch.h"
#include "gpu/emulator/memory/memory_context.h"

namespace flashgate::gpu {

/// Numbers drawn from a seed; the same ones everywhere.
class ScheduleRandom
{
 public:
  explicit ScheduleRandom(std::uint64_t seed) : state_(seed) {}
  std::uint64_t below(std::uint64_t bound);

 private:
  std::uint64_t state_;
};

/// Thrown to give a launch up after the reason was reported: trap, assert, hang.
struct LaunchEnded
{
};

/// What all parts of one launch share.
struct Engine
{
  Engine(const Program& the_program, const LaunchConfig& the_config, const ExecutionOptions& the_options)
      : program(the_program), config(the_config), options(the_options), random(the_options.seed)
  {
  }

  const Program& program;
  const LaunchConfig& config;
  const ExecutionOptions& options;
  ScheduleRandom random;
  FindingLog log;
  LaunchCounters counters;
  MemoryContext memory;
  std::uint64_t grid_workspace = 0;  ///< cooperative launches: zeroed global memory for grid barriers, 0 without
  std::uint64_t executed = 0;        ///< warp instructions
  std::uint64_t last_progress = 0;   ///< `executed` when somebody last stored, left a barrier or exited
  std::uint64_t last_poll = 0;       ///< `executed` when somebody last read what others may write
  /// Sums up to how often each instruction was executed: +1 where a segment began, -1 behind its end.
  std::vector<std::uint64_t> execution_steps;
  std::uint32_t quantum = 0;      ///< backward branches that the running warp may still take
  std::uint64_t clock_reads = 0;  ///< so that no two reads of a clock are equal
  bool check_registers = false;
};

}  // namespace flashgate::gpu
