// Our kernels as the matrix runs them: on the emulated device, judged by the checks of executions.
#include "app/backends/emulated_backend.h"

#include <set>
#include <string>

#include <doctest/doctest.h>

#include "app/backends/device_findings.h"
#include "matrix/execution.h"
#include "tests/app/backends/saboteur_steps.h"

namespace flashgate::app {
namespace {

using matrix::ExecutionFinding;
using matrix::ExecutionResult;
using matrix::NumericsCase;
using matrix::parse_numerics_case;
using matrix::Verdict;

const gpu::attention::KernelLibrary& library()
{
  static const gpu::attention::KernelLibrary all = gpu::attention::load_kernels(FLASHGATE_KERNELS);
  return all;
}

const matrix::Backend& backend(const std::string& evidence)
{
  static const auto l1 = make_emulated_backend(library(), {"L1"});
  static const auto l2 = make_emulated_backend(library(), {"L2"});
  return evidence == "L1" ? *l1 : *l2;
}

std::set<std::string> checks_of(const ExecutionResult& result)
{
  std::set<std::string> checks;
  for (const ExecutionFinding& finding : result.findings)
    checks.insert(std::string(finding.check_id));
  return checks;
}

std::string told(const ExecutionResult& result)
{
  std::string text = numerics_name(result.numerics);
  for (const ExecutionFinding& finding : result.findings)
    text += "\n" + std::string(finding.check_id) + ": " + finding.detail;
  return text;
}

void check_passes(const char* name, const std::string& evidence, int runs)
{
  const ExecutionResult result = execute(parse_numerics_case(name), backend(evidence));
  CHECK_MESSAGE(result.verdict == Verdict::pass, told(result));
  CHECK(result.runs == runs);
  CHECK(result.evidence == evidence);
  CHECK(result.kernel_hash.size() == 32);
}

}  // namespace

TEST_CASE("naive and v2 pass at L1 in one run and at L2 in six, on one rank and on several")
{
  for (const char* name : {"v2/head_dim=64,family=causal_document,seqlen=65", "naive/seqlen=1/129,head_dim=64",
                           "v2/direction=backward,head_dim=64,heads=1/1,seqlen=65,deterministic=on",
                           "v2/direction=backward,head_dim=64,heads=4/2,seqlen=64,family=document,cp_size=2"}) {
    check_passes(name, "L1", 1);
    check_passes(name, "L2", 6);
  }
}

TEST_CASE("what is not built is a skip, never another kernel in disguise")
{
  for (const char* name : {"v3", "v4/direction=backward"}) {
    const ExecutionResult result = execute(parse_numerics_case(name), backend("L2"));
    CHECK(result.verdict == Verdict::skip);
    CHECK(result.findings.front().detail == "kernel not built yet");
    CHECK(result.kernel_hash.empty());
    CHECK(result.runs == 0);
  }
  CHECK(execute(parse_numerics_case("v2/head_dim=512"), backend("L1")).verdict == Verdict::skip);
}

TEST_CASE("an execution is known by the PTX that runs")
{
  const NumericsCase forward = parse_numerics_case("v2/head_dim=64");
  const NumericsCase backward = parse_numerics_case("v2/head_dim=64,direction=backward");
  gpu::attention::KernelLibrary changed = library();
  changed["v2_backward_d64"] += "// not the same\n";
  const auto other = make_emulated_backend(changed, {"L1"});
  CHECK(backend("L1").kernel_hash(forward) == other->kernel_hash(forward));
  CHECK(backend("L1").kernel_hash(backward) != other->kernel_hash(backward));
  CHECK(execution_digest(backward, backend("L1")) != execution_digest(backward, *other));
  CHECK(execution_digest(forward, backend("L1")) != execution_digest(forward, backend("L2")));
}

TEST_CASE("each finding of the device is a check of executions, and a saboteur that it alone catches shows it")
{
  std::set<std::string> caught;
  for (const SaboteurStep& step : saboteur_steps()) {
    EmulatedBackendOptions options{"L2", 3, sabotaged(step)};
    const auto saboteur = make_emulated_backend(with_saboteur(library(), step), options);
    const ExecutionResult result = execute(parse_numerics_case("v2/head_dim=64,seqlen=65,heads=1/1"), *saboteur);
    CHECK_MESSAGE(checks_of(result) == std::set<std::string>{step.check}, step.check, ": ", step.fault, "\n",
                  told(result));
    CHECK(is_failure(result.verdict));
    caught.insert(step.check);
  }
  for (int n = 0; n < gpu::kCheckCount; ++n) {
    const std::string check(check_of({static_cast<gpu::Check>(n), "", false}));
    CHECK_MESSAGE((check.empty() || caught.contains(check)), check, " has no saboteur");
  }
}

TEST_CASE("at L1 the device's own checks are off, and hangs and wild accesses are found all the same")
{
  const std::set<std::string> always{"hang", "trap", "out_of_bounds", "divergence", "red_zone", "unwritten"};
  for (const SaboteurStep& step : saboteur_steps()) {
    EmulatedBackendOptions options{"L1", 3, sabotaged(step)};
    const auto saboteur = make_emulated_backend(with_saboteur(library(), step), options);
    const ExecutionResult result = execute(parse_numerics_case("v2/head_dim=64,seqlen=65,heads=1/1"), *saboteur);
    CHECK_MESSAGE((result.verdict != Verdict::pass) == always.contains(step.check), std::string(step.check), " ",
                  told(result));
  }
}

TEST_CASE("a deterministic backward has equal bits over twelve schedules, the atomic one is seen to vary")
{
  const auto patient = make_emulated_backend(library(), {"L2", 12, {}});
  const ExecutionResult ordered =
      execute(parse_numerics_case("v2/direction=backward,head_dim=64,heads=1/1,seqlen=257,deterministic=on"), *patient);
  CHECK_MESSAGE(ordered.verdict == Verdict::pass, told(ordered));
  CHECK(ordered.runs == 24);
  for (const matrix::TensorResult& tensor : ordered.tensors) {
    CHECK(tensor.promises_bits);
    CHECK(tensor.results == 1);
  }
  // Atomics add dQ up in the order in which blocks happen to run.
  const ExecutionResult atomic =
      execute(parse_numerics_case("v2/direction=backward,head_dim=64,heads=1/1,seqlen=257,dtype=fp16"), *patient);
  CHECK_MESSAGE(atomic.verdict == Verdict::pass, told(atomic));
  CHECK_FALSE(atomic.tensors[0].promises_bits);
  CHECK(atomic.tensors[0].results > 1);
  CHECK(atomic.tensors[1].results == 1);
}

/// B05: one query, q = 0, one visible key in each of four blocks of keys: dQ is 2^24 + 1 - 2 2^23 in some order, 1 or
/// 0.
TEST_CASE("where the order of blocks decides about dQ, deterministic mode gives one result and atomics several")
{
  constexpr int kBlock = 64;
  const double keys[] = {0x1p24, 1, 0x1p23, 0};
  const double values[] = {4, 4, -8, 0};
  reference::Problem problem;
  problem.seqlen_q = 1;
  problem.seqlen_k = 4 * kBlock;
  problem.head_dim = problem.head_dim_v = kBlock;
  reference::ColumnMask mask = reference::make_column_mask(1, 1, problem.seqlen_k, 2);
  reference::AttentionInputs inputs{
      {1, 1, 1, kBlock}, {1, 1, 4 * kBlock, kBlock}, {1, 1, 4 * kBlock, kBlock}, {1, 1, 1, kBlock}};
  inputs.d_o(0, 0, 0, 0) = 1;
  for (int block = 0; block < 4; ++block) {
    mask.bound(0, 0, block * kBlock, 0) = 1;  // visible; the others are masked from row 0 on
    inputs.k(0, 0, block * kBlock, 0) = keys[block];
    inputs.v(0, 0, block * kBlock, 0) = values[block];
  }
  const auto patient = make_emulated_backend(library(), {"L2", 12, {}});
  const auto results = [&](const char* name) {
    const NumericsCase numerics = parse_numerics_case(name);
    std::set<double> seen;
    for (int run = 0; run < patient->runs(); ++run) {
      matrix::KernelOutputs outputs = poisoned_outputs(numerics, problem);
      patient->run({numerics, problem, mask, inputs, run}, outputs);
      CHECK(outputs.findings.empty());
      seen.insert(outputs.backward.dq(0, 0, 0, 0));
    }
    return seen;
  };
  CHECK(results("v2/direction=backward,deterministic=on").size() == 1);
  CHECK(results("v2/direction=backward") == std::set<double>{0, 1});
}

}  // namespace flashgate::app
