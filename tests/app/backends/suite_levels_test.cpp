// Which executions of a suite are emulated at which level.
#include <algorithm>
#include <memory>

#include <doctest/doctest.h>

#include "app/backends/emulated_backend.h"
#include "matrix/run_selection.h"
#include "matrix/suite_executions.h"
#include "reference/error.h"

namespace flashgate::app {
namespace {

using matrix::ExecutionTask;
using matrix::NumericsAxisId;

std::unique_ptr<matrix::Backend> make(const matrix::BackendRequest& request)
{
  CHECK((request.name.empty() || request.name == "emulated"));
  EmulatedBackendOptions options;
  if (!request.evidence.empty()) options.evidence = request.evidence;
  return make_emulated_backend(gpu::attention::load_kernels(FLASHGATE_KERNELS), options);
}

matrix::RunOptions smoke()
{
  matrix::RunOptions options;
  options.suites_folder = FLASHGATE_SOURCE_DIR "/suites";
  options.suite = "smoke";
  return options;
}

matrix::SuiteExecutions executions_of(const matrix::RunOptions& options, const matrix::BackendFactory& backends = make)
{
  return {select(options), options, 2, backends};
}

std::ptrdiff_t count_at(const std::string& evidence, const matrix::SuiteExecutions& executions)
{
  return std::ranges::count(executions.tasks(), evidence,
                            [](const ExecutionTask& task) { return std::string(task.backend->evidence()); });
}

}  // namespace

TEST_CASE("smoke raises at least twenty executions of v2 to L2, a deterministic backward among them")
{
  const matrix::SuiteExecutions executions = executions_of(smoke());
  CHECK(executions.count() <= 200);
  CHECK(count_at("L2", executions) >= 20);
  CHECK(count_at("L1", executions) + count_at("L2", executions) == executions.count());
  for (const ExecutionTask& task : executions.tasks())
    if (task.backend->evidence() == "L2") CHECK(number_of(task.numerics, NumericsAxisId::kernel) == 2);
  CHECK(std::ranges::any_of(executions.tasks(), [](const ExecutionTask& task) {
    return task.backend->evidence() == "L2" && is_backward(task.numerics) &&
           number_of(task.numerics, NumericsAxisId::deterministic) == 1;
  }));
}

TEST_CASE("a backend is asked for by the user's words at every level, not by the name it calls itself")
{
  matrix::RunOptions options = smoke();
  options.backend = "external:MAP.toml";
  const auto renamed = [](const matrix::BackendRequest& request) {
    CHECK(request.name == "external:MAP.toml");
    return make({"emulated", request.evidence});
  };
  CHECK(count_at("L2", executions_of(options, renamed)) >= 20);
}

TEST_CASE("a level that the user names holds for every execution, and must be had")
{
  matrix::RunOptions options = smoke();
  options.evidence = "L2";
  const matrix::SuiteExecutions all = executions_of(options);
  CHECK(count_at("L2", all) == all.count());
  options.evidence = "L1";
  const matrix::SuiteExecutions none = executions_of(options);
  CHECK(count_at("L1", none) == none.count());
  CHECK_THROWS_AS(executions_of(options, matrix::make_reference_backend), Error);
  const matrix::SuiteExecutions rounded = executions_of(smoke(), matrix::make_reference_backend);
  CHECK(count_at("none", rounded) == rounded.count());
}

}  // namespace flashgate::app
