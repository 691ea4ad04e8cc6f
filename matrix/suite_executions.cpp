#include "matrix/suite_executions.h"

#include <numeric>
#include <set>

#include "matrix/execution_array.h"
#include "matrix/isolation/isolated_runner.h"

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

/// The name by which backends are asked for; Backend::name() may say less ("external" without its map).
const std::string& requested_name(const ExecutionOptions& suite, const RunOptions& options)
{
  return options.backend.empty() ? suite.backend : options.backend;
}

/// What all executions run on but those raised to L2. A suite's level counts on backends that have levels; one that was
/// asked for by name must be had.
std::unique_ptr<Backend> make_first(const ExecutionOptions& suite, const RunOptions& options,
                                    const BackendFactory& backends)
{
  const std::string& name = requested_name(suite, options);
  std::unique_ptr<Backend> backend = backends({name, options.evidence});
  if (!options.evidence.empty() || backend->evidence() != "L1" || suite.evidence != "L2") return backend;
  return backends({name, suite.evidence});
}

IsolationOptions isolation_of(const ExecutionOptions& suite, const RunOptions& options)
{
  IsolationOptions isolation;
  isolation.program = options.worker;
  isolation.logs = options.logs;
  isolation.timeout_seconds = options.timeout_seconds > 0 ? options.timeout_seconds : suite.timeout_seconds;
  isolation.memory_mib = suite.memory_mib;
  isolation.cases_per_worker = suite.cases_per_worker;
  return isolation;
}

}  // namespace

SuiteExecutions::SuiteExecutions(const RunSelection& selection, const RunOptions& options, int jobs,
                                 const BackendFactory& backends)
    : selection_(collect_pins(selection.cells_of_all_shards(), selection.subjects, jobs),
                 options_of(selection.suite, options.seed)),
      book_(selection_),
      jobs_(jobs),
      isolation_(isolation_of(*selection.suite.executions, options))
{
  const ExecutionOptions& suite = *selection.suite.executions;
  backends_.push_back(make_first(suite, options, backends));
  for (const NumericsCase& numerics : selection_.cases())
    tasks_.push_back({numerics, backends_.front().get()});
  ours_ = needed_by(selection, jobs);
  if (suite.l2_limit == 0 || !options.evidence.empty() || backends_.front()->evidence() != "L1") return;
  backends_.push_back(backends({requested_name(suite, options), "L2"}));
  raise_to_l2(static_cast<std::size_t>(suite.l2_limit), *backends_.back());
}

std::vector<std::size_t> SuiteExecutions::needed_by(const RunSelection& selection, int jobs) const
{
  if (selection.whole.empty()) {  // no shard: every case answers for one of our pins
    std::vector<std::size_t> all(tasks_.size());
    std::iota(all.begin(), all.end(), std::size_t{0});
    return all;
  }
  std::set<std::size_t> needed;
  for (const NumericsCase& pin : collect_pins(selection.cells, selection.subjects, jobs)) {
    const auto positions = selection_.executions_of(pin);
    needed.insert(positions.begin(), positions.end());
  }
  return {needed.begin(), needed.end()};
}

/// Gives the most telling cases of those that `backend` can run to it.
void SuiteExecutions::raise_to_l2(std::size_t limit, const Backend& backend)
{
  std::vector<NumericsCase> candidates;
  std::vector<std::size_t> positions;
  for (std::size_t n = 0; n < tasks_.size(); ++n)
    if (backend.refusal(tasks_[n].numerics).empty()) {
      candidates.push_back(tasks_[n].numerics);
      positions.push_back(n);
    }
  for (const std::size_t chosen : telling_pairs(candidates, limit))
    tasks_[positions[chosen]].backend = &backend;
}

bool SuiteExecutions::run(Store& store, std::int64_t run, const Listener& listener, const StopRequest& stop)
{
  const std::vector<std::size_t> left = not_stored(store.stored_executions(run));
  std::vector<ExecutionTask> tasks;
  for (const std::size_t index : left)
    tasks.push_back(tasks_[index]);
  const auto store_result = [&](std::size_t n, ExecutionResult&& result) {
    store.begin();
    const std::int64_t id = store.insert_execution(run, result);
    store.commit();
    book_.record(left[n], id, std::move(result.findings));
    listener(count() - static_cast<std::int64_t>(left.size() - n) + 1, result.verdict);
  };
  const std::size_t done = isolation_.program.empty() ? run_executions(tasks, jobs_, store_result, stop)
                                                      : run_isolated(tasks, jobs_, isolation_, store_result, stop);
  return done == tasks.size();
}

std::vector<std::size_t> SuiteExecutions::not_stored(const std::unordered_map<std::string, StoredExecution>& stored)
{
  std::vector<std::size_t> left;
  for (const std::size_t index : ours_) {
    const auto found = stored.find(execution_digest(tasks_[index].numerics, *tasks_[index].backend));
    if (found == stored.end())
      left.push_back(index);
    else
      book_.record(index, found->second.id, found->second.findings);
  }
  return left;
}

}  // namespace flashgate::matrix
