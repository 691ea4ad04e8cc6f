#include "matrix/isolation/worker_fault.h"

#include <iterator>

#include <fmt/format.h>

#include "matrix/isolation/crash_trace.h"

namespace flashgate::matrix {
namespace {

std::string section(std::string_view title, const std::string& text)
{
  return text.empty() ? std::string() : fmt::format("\n{}:\n{}", title, text);
}

bool has_word(const std::string& log, std::string_view word) { return log.find(word) != std::string::npos; }

}  // namespace

WorkerFault ended(const sim::Ending& ending, const std::string& log)
{
  const std::string overflow = has_word(log, kStackOverflow) ? fmt::format("{}: ", kStackOverflow) : "";
  return {"crash", Verdict::crash, fmt::format("{}the worker {}, without an answer", overflow, ending.text())};
}

WorkerFault hangs(double seconds, std::size_t half_answer)
{
  if (half_answer == 0) return {"hang", Verdict::hang, fmt::format("no progress for {:.3g} s", seconds)};
  return breaks_protocol(
      fmt::format("wrote {} bytes of an answer, and then nothing for {:.3g} s", half_answer, seconds));
}

WorkerFault takes_too_long(double seconds)
{
  return {"timeout", Verdict::timeout, fmt::format("goes on, but has not ended after {:.3g} s", seconds)};
}

WorkerFault needs_memory(std::int64_t limit_mib)
{
  return {"memory", Verdict::crash, fmt::format("the worker uses more than {} MiB of memory", limit_mib)};
}

WorkerFault breaks_protocol(const std::string& what)
{
  return {"protocol", Verdict::error, fmt::format("the worker breaks the protocol: {}", what)};
}

ExecutionResult faulted_execution(const NumericsCase& numerics, const Backend& backend, const WorkerFault& fault,
                                  const FaultScene& scene)
{
  const std::string line =
      fmt::format("{}; {}", fault.line, scene.stage.empty() ? "before it began" : "in " + scene.stage);
  ExecutionResult result = unfinished_execution(numerics, backend, {fault.check_id, fault.verdict, line});
  std::string text = fmt::format("{} on {}\n{}\n{:.2f} s after it was asked\n", numerics_name(numerics), backend.name(),
                                 line, scene.seconds);
  text += section("its processes", scene.processes);
  text += section("what it printed last", scene.log);
  result.incidents.push_back({fault.check_id, std::string(fault.check_id), std::move(text)});
  return result;
}

ExecutionResult settle(ExecutionResult first, ExecutionResult again)
{
  if (first.verdict == again.verdict) return first;
  if (!is_failure(again.verdict)) {
    for (ExecutionFinding& finding : first.findings)
      if (is_failure(finding.verdict)) {
        finding.outcome = Outcome::flake;
        finding.detail += "; run again alone: " + std::string(verdict_name(again.verdict));
      }
    return first;
  }
  ExecutionResult& worst = again.verdict > first.verdict ? again : first;
  ExecutionResult& other = &worst == &first ? again : first;
  std::ranges::move(other.incidents, std::back_inserter(worst.incidents));
  return std::move(worst);
}

}  // namespace flashgate::matrix
