#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "gpu/emulator/finding.h"
#include "gpu/emulator/isa/core.h"
#include "gpu/emulator/program.h"

namespace flashgate::gpu {

class GlobalMemory;

/// When an asynchronous copy's data arrive. A right kernel gives the same result under both.
enum class AsyncPolicy : std::uint8_t { at_issue, at_wait };

/// What a kernel is launched with.
struct LaunchConfig
{
  Dim3 grid;
  Dim3 block;
  Dim3 cluster;
  std::uint32_t dynamic_shared_bytes = 0;
  bool cooperative = false;           ///< all blocks are resident, whatever ExecutionOptions say
  std::vector<std::byte> parameters;  ///< as laid out by the entry's .param list, Program::parameter_bytes long
};

/// How the emulated device goes about it. The same options give the same run, bit for bit.
struct ExecutionOptions
{
  std::uint64_t seed = 0;             ///< 0: natural order; else an order of blocks and warps drawn from it
  std::uint32_t resident_blocks = 1;  ///< how many blocks take turns
  AsyncPolicy async = AsyncPolicy::at_wait;
  CheckSet checks = CheckSet::all();
  std::uint64_t instruction_budget = 20'000'000'000;  ///< warp instructions of the launch; then it is a hang
  std::uint64_t spin_budget = 20'000'000;  ///< warp instructions without any store, barrier or exit; then it is a hang
  isa::Core core = isa::best_core();
  std::function<void(std::string_view)> print;  ///< the kernel's printf; stdout if empty
};

/// What happened, in counts. A warp instruction counts once, whatever its mask.
struct LaunchCounters
{
  std::array<std::uint64_t, kInstructionClassCount> instructions{};
  std::uint64_t total_instructions = 0;
  std::uint64_t barriers = 0;
  std::uint64_t shared_bank_conflicts = 0;  ///< extra passes beyond one per access
  std::uint64_t global_sectors = 0;         ///< 32-byte sectors touched
  std::uint64_t global_bytes = 0;           ///< bytes asked for: sectors * 32 / bytes is the coalescing
  std::uint64_t shared_bytes = 0;
};

struct LaunchResult
{
  bool completed = false;  ///< false: hang, trap, assert or an access that can't be answered ended it
  std::vector<Finding> findings;
  std::uint64_t findings_dropped = 0;
  LaunchCounters counters;
};

/// Runs a kernel to its end on the calling thread. Throws Error for a launch that a device would refuse (parameter
/// bytes, block size, shared memory). Launches on different GlobalMemory objects may run at the same time.
LaunchResult launch(const Program& program, GlobalMemory& memory, const LaunchConfig& config,
                    const ExecutionOptions& options);

}  // namespace flashgate::gpu
