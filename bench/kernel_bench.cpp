// How many cells a second our kernels are emulated at, as runs do it: a cell is forward and backward of one head, S =
// 128, d = 64, on backend `emulated`; at L2 that is six runs. Promise on two cores: 300 cells a second at L1, 30 at L2,
// so half of that on one. `judged` is a whole execution, the oracle included.
#include <functional>
#include <memory>
#include <string>

#include <benchmark/benchmark.h>

#include "app/backends/emulated_backend.h"
#include "matrix/execution.h"

namespace flashgate::app {
namespace {

const KernelBackend& backend(const std::string& evidence)
{
  const auto make = [](const char* level) {
    return make_emulated_backend(gpu::attention::load_kernels(FLASHGATE_KERNELS), {.evidence = level});
  };
  static const std::unique_ptr<KernelBackend> l1 = make("L1");
  static const std::unique_ptr<KernelBackend> l2 = make("L2");
  return evidence == "L1" ? *l1 : *l2;
}

matrix::NumericsCase cell(const std::string& kernel)
{
  return matrix::parse_numerics_case(kernel + "/direction=backward,head_dim=64,heads=1/1,deterministic=on");
}

void run_cells(benchmark::State& state, const std::string& kernel, const std::string& evidence)
{
  const matrix::ExecutionOracle oracle = matrix::make_oracle(cell(kernel));
  matrix::KernelCall call = oracle.call();
  for (auto _ : state)
    for (call.run = 0; call.run < backend(evidence).runs(); ++call.run) {
      matrix::KernelOutputs outputs = poisoned_outputs(oracle.numerics, oracle.problem);
      backend(evidence).run(call, outputs);
      if (!outputs.findings.empty()) state.SkipWithError("the kernel has findings");
    }
  state.SetItemsProcessed(state.iterations());
}

void judge_cells(benchmark::State& state, const std::string& kernel, const std::string& evidence)
{
  for (auto _ : state)
    if (execute(cell(kernel), backend(evidence)).verdict != matrix::Verdict::pass)
      state.SkipWithError("the execution does not pass");
  state.SetItemsProcessed(state.iterations());
}

/// On one thread by processor time, which holds on a busy machine too, and on two by the clock.
void register_twice(const std::string& name, const std::function<void(benchmark::State&)>& run)
{
  benchmark::RegisterBenchmark(name.c_str(), run);
  benchmark::RegisterBenchmark(name.c_str(), run)->Threads(2)->UseRealTime();
}

void register_all()
{
  for (const std::string evidence : {"L1", "L2"}) {
    register_twice("v2/" + evidence, [=](auto& state) { run_cells(state, "v2", evidence); });
    register_twice("v2/judged/" + evidence, [=](auto& state) { judge_cells(state, "v2", evidence); });
  }
}

const bool kRegistered = (register_all(), true);

}  // namespace
}  // namespace flashgate::app
