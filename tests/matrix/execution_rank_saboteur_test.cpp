// Context-parallel methods with one fault planted, as the kernel of the executions that suite smoke selects.
#include <map>
#include <set>
#include <string>

#include <doctest/doctest.h>

#include "matrix/execution.h"
#include "matrix/execution_oracle.h"
#include "matrix/reference_backend.h"
#include "reference/error.h"
#include "tests/matrix/smoke_selection.h"
#include "tests/sim/context_parallel_case.h"
#include "tests/sim/context_parallel_saboteurs.h"

namespace flashgate::matrix {
namespace {

/// Runs a case on ranks of which one, or all, do something wrong. A group that stops is a broken kernel: an Error.
class SaboteurRanks : public ReferenceBackend
{
 public:
  explicit SaboteurRanks(const sim::Saboteur& saboteur) : saboteur_(saboteur) {}

  void run(const KernelCall& call, KernelOutputs& outputs) const override
  {
    sim::ContextParallelOptions options;
    options.cp_size = number_of(call.numerics, NumericsAxisId::cp_size);
    options.group = saboteur_.group;
    auto forward = sim::context_parallel_forward(call.problem, call.mask, call.inputs, saboteur_.attention, options);
    if (forward.failure) throw Error(sim::describe(*forward.failure));
    outputs.forward = std::move(forward.outputs);
    if (!is_backward(call.numerics)) return;
    auto backward = sim::context_parallel_backward(call.problem, call.mask, call.inputs, outputs.forward,
                                                   saboteur_.attention, options);
    if (backward.failure) throw Error(sim::describe(*backward.failure));
    outputs.backward = std::move(backward.gradients);
  }

 private:
  const sim::Saboteur& saboteur_;
};

/// Only a group of that many ranks has the one that is faulty.
bool has_a_faulty_rank(const NumericsCase& numerics)
{
  return number_of(numerics, NumericsAxisId::cp_size) > sim::kFaultyRank;
}

TEST_CASE("every saboteur among the ranks is caught by an execution of smoke")
{
  const ExecutionSelection selection = smoke_selection();
  const std::vector<sim::Saboteur> all = sim::saboteurs();
  const sim::Saboteur clean[] = {{"all-gather", sim::all_gather_attention(sim::oracle()), ""},
                                 {"ring", sim::ring_attention(sim::oracle()), ""}};
  std::map<std::string, std::string> caught;  // check and case, by saboteur
  int cases = 0;
  for (const NumericsCase& numerics : selection.cases()) {
    if (!has_a_faulty_rank(numerics)) continue;
    ++cases;
    const ExecutionOracle oracle = make_oracle(numerics);
    for (const sim::Saboteur& right : clean)
      CHECK_MESSAGE(execute(oracle, SaboteurRanks(right)).verdict == Verdict::pass, right.name, " at ",
                    numerics_name(numerics));
    for (const sim::Saboteur& saboteur : all) {
      if (caught.contains(saboteur.name)) continue;
      const ExecutionResult result = execute(oracle, SaboteurRanks(saboteur));
      if (is_failure(result.verdict))
        caught[saboteur.name] = std::string(result.worst_finding()->check_id) + " at " + numerics_name(numerics);
    }
  }
  CHECK(cases > 0);
  CHECK(all.size() >= 15);
  for (const sim::Saboteur& saboteur : all) {
    CHECK_MESSAGE(caught.contains(saboteur.name), saboteur.name, " is not caught");
    if (caught.contains(saboteur.name)) MESSAGE(saboteur.name, ": caught by ", caught[saboteur.name]);
  }
}

}  // namespace
}  // namespace flashgate::matrix
