#include "matrix/suite_executions.h"

#include "matrix/execution_runner.h"

namespace flashgate::matrix {
namespace {

ExecutionSelectionOptions options_of(const Suite& suite, std::int64_t seed)
{
  ExecutionSelectionOptions options;
  options.strength = suite.executions->strength;
  options.limit = static_cast<std::size_t>(suite.executions->limit);
  options.seed = static_cast<std::uint32_t>(seed);
  return options;
}

}  // namespace

SuiteExecutions::SuiteExecutions(const RunSelection& selection, std::int64_t seed, int jobs)
    : selection_(collect_pins(selection.cells, selection.subjects, jobs), options_of(selection.suite, seed)),
      book_(selection_),
      jobs_(jobs)
{
}

bool SuiteExecutions::run(Store& store, std::int64_t run, const Listener& listener, const std::atomic<bool>& stop)
{
  const auto store_result = [&](std::size_t index, ExecutionResult&& result) {
    store.begin();
    book_.record(index, store.insert_execution(run, result), result);
    store.commit();
    listener(static_cast<std::int64_t>(index) + 1);
  };
  return run_executions(selection_.cases(), backend_, jobs_, store_result, stop) == selection_.cases().size();
}

}  // namespace flashgate::matrix
