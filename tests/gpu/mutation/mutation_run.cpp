#include "tests/gpu/mutation/mutation_run.h"

#include <algorithm>
#include <atomic>
#include <exception>
#include <set>
#include <thread>

namespace flashgate::gpu::mutation {
namespace {

constexpr std::uint64_t kSeed = 1;

std::vector<Mutant> mutants_of(const MutationTarget& target, const std::string& text, bool all)
{
  const std::unique_ptr<EmulatedDevice> device = make_emulated_device({});
  const std::unique_ptr<Module> module = device->load(text, target.module);
  const Program& program = device->program(module->kernel(target.entry));
  std::vector<Mutant> mutants = make_mutants(target.module, text, program, kSeed, all);
  const std::vector<std::string>& rules = target.rules;
  if (!rules.empty())
    std::erase_if(mutants,
                  [&](const Mutant& m) { return std::find(rules.begin(), rules.end(), m.rule) == rules.end(); });
  return mutants;
}

/// Work for threads that take one piece after another; the first exception of any is thrown again.
template <typename Visit>
void for_each_in_parallel(std::size_t count, Visit visit)
{
  std::atomic<std::size_t> next{0};
  std::exception_ptr failure;
  std::atomic<bool> has_failed{false};
  const auto work = [&] {
    try {
      for (std::size_t i = next++; i < count && !has_failed; i = next++)
        visit(i);
    } catch (...) {
      if (!has_failed.exchange(true)) failure = std::current_exception();
    }
  };
  std::vector<std::thread> threads;
  for (unsigned i = 0; i < std::max(1U, std::thread::hardware_concurrency()); ++i)
    threads.emplace_back(work);
  for (std::thread& thread : threads)
    thread.join();
  if (failure) std::rethrow_exception(failure);
}

/// The modules that the target's calls launch: copying all would cost more than running the mutant.
attention::KernelLibrary modules_of(const MutationTarget& target, const attention::KernelLibrary& library)
{
  std::set<std::string> names;
  for (const MutationCase& c : target.cases) {
    const reference::Problem problem = kernels::problem_of(c.shape);
    const kernels::LaunchOptions options = options_of(target, c);
    const kernels::LaunchPlan plan =
        target.is_backward ? plan_backward(problem, options) : plan_forward(problem, options);
    for (const kernels::LaunchStep& step : plan.steps)
      names.insert(step.module);
  }
  attention::KernelLibrary modules;
  for (const std::string& name : names)
    modules.emplace(name, library.at(name));
  return modules;
}

MutantResult try_mutant(Mutant mutant, const std::vector<TrialCase>& cases, attention::KernelLibrary modules)
{
  const std::string right = modules.at(mutant.module);
  modules[mutant.module] = mutated_text(right, mutant);
  MutantResult result{mutant, try_kernels(modules, cases), Survival::same_bits};
  if (!result.trial.found_by.empty()) return result;
  Mutant probe = mutant;
  probe.after = "trap;";
  modules[mutant.module] = mutated_text(right, probe);
  if (!is_trapping(modules, cases))
    result.survival = Survival::unreached;
  else if (!result.trial.same_bits)
    result.survival = Survival::rounding;
  return result;
}

}  // namespace

std::string_view name(Survival survival)
{
  switch (survival) {
    case Survival::unreached:
      return "unreached";
    case Survival::same_bits:
      return "same bits";
    case Survival::rounding:
      break;
  }
  return "rounding";
}

std::vector<TrialCase> prepare_cases(const MutationTarget& target, const attention::KernelLibrary& library)
{
  std::vector<TrialCase> cases;
  for (const MutationCase& c : target.cases)
    cases.push_back(prepare_case(judge_case(c), options_of(target, c), target.is_backward, library));
  return cases;
}

std::vector<MutantResult> run_mutants(const std::vector<MutationTarget>& targets,
                                      const attention::KernelLibrary& library, bool all)
{
  std::vector<MutantResult> results;
  for (const MutationTarget& target : targets) {
    const std::vector<TrialCase> cases = prepare_cases(target, library);
    const attention::KernelLibrary modules = modules_of(target, library);
    const std::vector<Mutant> mutants = mutants_of(target, library.at(target.module), all);
    const std::size_t first = results.size();
    results.resize(first + mutants.size());
    for_each_in_parallel(mutants.size(),
                         [&](std::size_t i) { results[first + i] = try_mutant(mutants[i], cases, modules); });
  }
  return results;
}

}  // namespace flashgate::gpu::mutation
