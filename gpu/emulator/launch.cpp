#include "gpu/emulator/launch.h"

#include "gpu/emulator/engine.h"
#include "gpu/emulator/memory/memory_events.h"
#include "gpu/emulator/scheduler.h"
#include "reference/error.h"

namespace flashgate::gpu {
namespace {

constexpr std::uint32_t kMostThreads = 1024;
constexpr std::uint32_t kMostShared = 227 * 1024;
constexpr std::uint32_t kMostGrid = 65535;
constexpr std::uint64_t kMostBlocks = std::uint64_t{1} << 28;
constexpr std::uint32_t kMostLocal = 512 * 1024;

std::string size_text(const Dim3& size)
{
  return std::to_string(size.x) + "x" + std::to_string(size.y) + "x" + std::to_string(size.z);
}

[[noreturn]] void refuse(const Program& program, const std::string& why)
{
  throw Error("launch of " + program.name + ": " + why);
}

void check_shape(const Program& program, const LaunchConfig& config)
{
  const Dim3& block = config.block;
  const Dim3& grid = config.grid;
  if (block.count() == 0 || block.count() > kMostThreads || block.z > 64) {
    refuse(program, "a block of " + size_text(block) + " threads; 1 to 1024 are possible, at most 64 in z");
  }
  if (block.count() > program.max_threads) {
    refuse(program, "a block of " + std::to_string(block.count()) + " threads; the kernel was compiled for at most " +
                        std::to_string(program.max_threads));
  }
  const auto& required = program.required_block;
  if (required[0] != 0 && (block.x != required[0] || block.y != required[1] || block.z != required[2])) {
    refuse(program, "a block of " + size_text(block) + " threads; the kernel requires " +
                        size_text({required[0], required[1], required[2]}));
  }
  if (grid.count() == 0 || grid.x > 0x7FFF'FFFF || grid.y > kMostGrid || grid.z > kMostGrid) {
    refuse(program, "a grid of " + size_text(grid) + " blocks");
  }
  if (grid.count() > kMostBlocks)
    refuse(program, "a grid of " + size_text(grid) + " blocks is more than can be emulated");
  if (config.cluster.count() != 1) refuse(program, "clusters of blocks are not supported");
}

void check_memory(const Program& program, const LaunchConfig& config)
{
  if (config.parameters.size() != program.parameter_bytes) {
    refuse(program, std::to_string(config.parameters.size()) + " bytes of parameters; the kernel takes " +
                        std::to_string(program.parameter_bytes));
  }
  if (program.local_bytes > kMostLocal) {
    refuse(program, std::to_string(program.local_bytes) + " bytes of local memory per thread; the device has " +
                        std::to_string(kMostLocal));
  }
  const std::uint64_t shared = std::uint64_t{program.dynamic_shared_offset} + config.dynamic_shared_bytes;
  if (shared > kMostShared) {
    refuse(program,
           std::to_string(shared) + " bytes of shared memory per block; the device has " + std::to_string(kMostShared));
  }
}

void set_up(Engine& engine, GlobalMemory& memory)
{
  const Program& program = engine.program;
  MemoryContext& context = engine.memory;
  context.global = &memory;
  context.findings = &engine.log;
  context.counters = &engine.counters;
  context.checks = engine.options.checks;
  context.async = engine.options.async;
  context.parameters = engine.config.parameters;
  context.shared_bytes = program.dynamic_shared_offset + engine.config.dynamic_shared_bytes;
  context.local_bytes = program.local_bytes;
  context.warps_per_block = static_cast<std::uint32_t>((engine.config.block.count() + isa::kLanes - 1) / isa::kLanes);
  engine.execution_steps.assign(program.instructions.size() + 1, 0);
  engine.check_registers = engine.options.checks.has(Check::uninit_register) && !program.register_names.empty();
}

/// Instructions by class, from how often each was executed.
void count_classes(Engine& engine)
{
  std::uint64_t times = 0;
  for (std::size_t at = 0; at < engine.program.instructions.size(); ++at) {
    times += engine.execution_steps[at];
    engine.counters.instructions[static_cast<int>(engine.program.sites[at].kind)] += times;
  }
  engine.counters.total_instructions = engine.executed;
}

/// Where a cooperative launch's grid barrier counts its blocks, for as long as the launch lasts.
class GridWorkspace
{
 public:
  GridWorkspace(GlobalMemory& memory, bool cooperative) : memory_(memory)
  {
    if (!cooperative) return;
    address_ = memory.allocate(kBytes, "grid workspace");
    memory.fill(address_, std::byte{0}, kBytes);
  }
  GridWorkspace(const GridWorkspace&) = delete;
  GridWorkspace& operator=(const GridWorkspace&) = delete;
  ~GridWorkspace()
  {
    if (address_ != 0) memory_.free(address_);
  }
  std::uint64_t address() const { return address_; }

 private:
  static constexpr std::size_t kBytes = 64;
  GlobalMemory& memory_;
  std::uint64_t address_ = 0;
};

}  // namespace

LaunchResult launch(const Program& program, GlobalMemory& memory, const LaunchConfig& config,
                    const ExecutionOptions& options)
{
  check_shape(program, config);
  check_memory(program, config);
  if (!program.checked && options.checks != CheckSet::always()) {
    refuse(program, "the kernel was decoded without checks, and some are asked for");
  }
  Engine engine(program, config, options);
  const GridWorkspace workspace(memory, config.cooperative);
  engine.grid_workspace = workspace.address();
  set_up(engine, memory);
  kernel_starts(engine.memory);
  LaunchResult result;
  try {
    Scheduler(engine).run();
    result.completed = true;
  } catch (const LaunchEnded&) {
    result.completed = false;
  }
  kernel_ends(engine.memory);
  count_classes(engine);
  result.findings = engine.log.findings();
  result.findings_dropped = engine.log.dropped();
  result.counters = engine.counters;
  return result;
}

}  // namespace flashgate::gpu
