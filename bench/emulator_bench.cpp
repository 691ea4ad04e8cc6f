// How fast the emulated device runs an FA2-shaped kernel: one head of S=512, forward and backward, in the modes that
// runs use. The kernels come from a PTX file, so that any build of them can be measured:
//
//   FLASHGATE_FA2_PTX=fa2.ptx build/release/bench/emulator_bench
//
// The file holds entries whose names contain k_fwdILi64E, k_fwdILi128E, k_bwdILi64E and k_bwdILi128E, of 128 threads,
// tile 64 x 64, taking the struct below by value. Times are of the calling thread.
#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <memory>
#include <string>

#include <benchmark/benchmark.h>

#include "gpu/emulator/launch.h"
#include "gpu/emulator/loaded_module.h"
#include "reference/error.h"

namespace flashgate::gpu {
namespace {

constexpr std::uint32_t kSeqlen = 512;
constexpr std::uint32_t kTile = 64;

struct Parameters
{
  std::uint64_t q, k, v, d_o, o, dk, dv, lse, delta, dq;
  std::int32_t seqlen;
  float scale_log2;
  std::int32_t causal;
  std::uint64_t semaphore;
};

std::shared_ptr<const ptx::Module> module_of_file(const char* path)
{
  std::ifstream in(path);
  return std::make_shared<const ptx::Module>(
      ptx::parse_module(std::string(std::istreambuf_iterator<char>(in), {}), path));
}

/// The kernels of the file and their tensors, of values that no NaN comes out of.
struct Rig
{
  GlobalMemory memory;
  LoadedModule module;
  Parameters parameters{};

  Rig(const char* path, std::uint32_t head_dim) : module(module_of_file(path), memory)
  {
    const std::size_t elements = std::size_t{kSeqlen} * head_dim;
    const auto tensor = [&](const char* name, std::size_t bytes) {
      const std::uint64_t address = memory.allocate(bytes, name);
      memory.fill(address, std::byte{0x3C}, bytes);
      return address;
    };
    parameters = {tensor("q", 2 * elements),
                  tensor("k", 2 * elements),
                  tensor("v", 2 * elements),
                  tensor("do", 2 * elements),
                  tensor("o", 2 * elements),
                  tensor("dk", 2 * elements),
                  tensor("dv", 2 * elements),
                  tensor("lse", 4 * kSeqlen),
                  tensor("delta", 4 * kSeqlen),
                  tensor("dq", 4 * elements),
                  kSeqlen,
                  static_cast<float>(1.4426950408889634 / std::sqrt(head_dim)),
                  0,
                  0};
  }

  std::string entry(const std::string& part) const
  {
    for (const ptx::Function& function : module.module().functions)
      if (function.is_entry && function.name.find(part) != std::string_view::npos) return std::string(function.name);
    throw Error("no entry with " + part + " in its name");
  }
};

LaunchConfig config_of(const Program& program, const Parameters& parameters, std::uint32_t shared_bytes)
{
  LaunchConfig config;
  config.grid = {kSeqlen / kTile, 1, 1};
  config.block = {128, 1, 1};
  config.dynamic_shared_bytes = shared_bytes - program.dynamic_shared_offset;
  config.parameters.resize(program.parameter_bytes);
  std::memcpy(config.parameters.data(), &parameters, std::min<std::size_t>(sizeof parameters, program.parameter_bytes));
  return config;
}

void run(benchmark::State& state, bool backward, std::uint32_t head_dim, const CheckSet& checks, isa::Core core)
{
  const char* path = std::getenv("FLASHGATE_FA2_PTX");
  if (path == nullptr) return state.SkipWithError("FLASHGATE_FA2_PTX names no file");
  if (!isa::core_available(core)) return state.SkipWithError("this processor lacks the instruction set");
  Rig rig(path, head_dim);
  const std::string entry = rig.entry((backward ? "k_bwdILi" : "k_fwdILi") + std::to_string(head_dim) + "E");
  const bool checked = checks != CheckSet::always();
  const auto program = rig.module.program(entry, {.core = core, .checked = checked, .variable_addresses = {}});
  const std::uint32_t shared = backward ? 4 * kTile * head_dim * 2 + 16384 : 3 * kTile * head_dim * 2;
  const LaunchConfig config = config_of(*program, rig.parameters, shared);
  ExecutionOptions options;
  options.checks = checks;
  options.core = core;
  std::uint64_t instructions = 0;
  for (auto _ : state) {
    const LaunchResult result = launch(*program, rig.memory, config, options);
    if (!result.completed || !result.findings.empty()) return state.SkipWithError("the kernel has findings");
    instructions = result.counters.total_instructions;
  }
  state.counters["instructions"] = static_cast<double>(instructions);
}

void register_all()
{
  struct Mode
  {
    const char* name;
    CheckSet checks;
    isa::Core core;
  };
  const Mode modes[] = {
      {"plain", CheckSet::always(), isa::best_core()},   {"race_shared", parse_checks("race-shared"), isa::best_core()},
      {"all_checks", CheckSet::all(), isa::best_core()}, {"avx512", CheckSet::always(), isa::Core::avx512},
      {"avx2", CheckSet::always(), isa::Core::avx2},     {"generic", CheckSet::always(), isa::Core::generic},
  };
  for (const bool backward : {false, true})
    for (const std::uint32_t head_dim : {64U, 128U})
      for (const Mode& mode : modes) {
        const std::string name =
            std::string(backward ? "backward" : "forward") + "/d" + std::to_string(head_dim) + "/" + mode.name;
        benchmark::RegisterBenchmark(name.c_str(), [=](benchmark::State& state) {
          run(state, backward, head_dim, mode.checks, mode.core);
        })->Unit(benchmark::kMillisecond);
      }
}

const bool kRegistered = (register_all(), true);

}  // namespace
}  // namespace flashgate::gpu
