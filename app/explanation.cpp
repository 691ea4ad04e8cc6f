#include "app/explanation.h"

#include <ostream>

#include <fmt/format.h>

#include "matrix/checks.h"
#include "matrix/texts.h"
#include "sim/dispatch/head_dim_tile.h"
#include "sim/dispatch/kernel_ops.h"
#include "sim/dispatch/kernel_support.h"
#include "sim/dispatch/rank_group.h"

namespace flashgate::app {
namespace {

std::string shown(sim::Symbol symbol) { return matrix::printable(symbol.text()); }

std::string why_not(int version, const sim::Request& request)
{
  if (version == 4 && !sim::v4_available(request)) return "no: v4 is unavailable (needs sm100 and the v4 package)";
  const sim::Symbol refusal = sim::kernel_refusal(version, request);
  if (!refusal.empty()) return "no: " + shown(refusal);
  if (request.dropout) return "no: has no dropout";
  if (!request.training) return "no: Paddle's entry for it refuses training=False";
  return "no: not deterministic under the legacy signature or above head_dim 128";
}

std::string how(int version, const sim::Request& request)
{
  if (version != 2) return "yes";
  const int head_dim = request.head_dim.qk;
  return fmt::format("yes, head_dim {} in a tile of {}, accumulators of {}", head_dim, sim::tile_head_dim(head_dim),
                     sim::accumulator_head_dim(head_dim));
}

void print_launch(std::ostream& out, std::string_view label, const sim::Launch& launch)
{
  if (!launch) return;
  out << fmt::format("      {:<15}{}  {}({} arguments){}{}\n", label, shown(sim::version_name(launch.version)),
                     shown(launch.kernel), launch.arity, launch.deterministic ? ", deterministic" : "",
                     launch.causal ? ", causal" : "");
}

void print_plan(std::ostream& out, const sim::RankPlan& plan)
{
  out << "    plan\n";
  print_launch(out, "forward", plan.forward);
  print_launch(out, "second forward", plan.second_forward);
  if (plan.handed_version != 0)
    out << fmt::format("      {:<15}{}\n", "handed on", shown(sim::version_name(plan.handed_version)));
  print_launch(out, "backward", plan.backward);
  if (plan.lse_version != 0) out << fmt::format("      {:<15}{}\n", "LSE", sim::lse_layout(plan.lse_version));
  if (plan.error)
    out << fmt::format("      {:<15}{} in {}: {}\n", "ends with", shown(plan.error.kind),
                       shown(sim::phase_name(plan.error.phase)), shown(plan.error.message));
}

void print_rank(std::ostream& out, const sim::RankPlan& plan)
{
  out << "    decisions\n";
  for (const sim::TraceStep& step : plan.trace)
    out << fmt::format("      {:<11}{:<62} {}\n", shown(sim::phase_name(step.phase)), shown(step.decision),
                       shown(step.outcome));
  print_plan(out, plan);
}

bool decide_alike(const sim::RankPlan& left, const sim::RankPlan& right)
{
  return sim::same_route(left, right) && left.trace == right.trace;
}

/// Prints each stretch of ranks that decide alike once.
void print_ranks(std::ostream& out, const sim::CellPlan& plan)
{
  for (int first = 0, last; first < plan.rank_count(); first = last + 1) {
    for (last = first; last + 1 < plan.rank_count() && decide_alike(plan.rank(first), plan.rank(last + 1));)
      ++last;
    const std::string ranks =
        first == last ? fmt::format("rank {}", first) : fmt::format("ranks {} to {}", first, last);
    if (plan.rank_count() > 1) out << "  " << ranks << " of " << plan.rank_count() << '\n';
    print_rank(out, plan.rank(first));
  }
  if (const auto hang = sim::find_hang(plan)) {
    out << "    hang\n";
    const std::string ranks = sim::describe_hang(plan, *hang);
    for (const std::string_view line : matrix::split(ranks, '\n'))
      out << "      " << matrix::printable(line) << '\n';
  }
}

void print_checks(std::ostream& out, const matrix::Judgement& judgement)
{
  out << "    checks\n";
  std::string silent;
  for (std::size_t i = 0; i < matrix::checks().size(); ++i) {
    const matrix::Check& check = matrix::checks()[i];
    if (judgement.passed >> i & 1) {
      out << fmt::format("      {:<4}{:<14}{}\n", check.id, "pass", check.title);
      continue;
    }
    bool found = false;
    for (const auto& [index, finding] : judgement.findings)
      if (index == static_cast<int>(i)) {
        found = true;
        out << fmt::format("      {:<4}{:<14}{}\n{:24}{}\n", check.id, matrix::verdict_name(finding.verdict),
                           check.title, "", matrix::printable(finding.text()));
      }
    if (!found) silent += fmt::format("{}{}", silent.empty() ? "" : ", ", check.id);
  }
  if (!silent.empty()) out << "      nothing to judge: " << silent << '\n';
}

}  // namespace

void explain_request(std::ostream& out, const matrix::Cell& cell)
{
  out << "cell     " << matrix::cell_name(cell) << '\n';
  std::string values;
  for (const matrix::Axis& axis : matrix::axes()) {
    const std::string value = fmt::format("{}={}", axis.name, axis.values[cell[axis.id]].text);
    const std::size_t line_start = values.rfind('\n') + 1;
    values += values.empty() ? "" : values.size() - line_start + value.size() > 100 ? "\n         " : " ";
    values += value;
  }
  out << "asks     " << values << '\n';
  const sim::Request request = matrix::to_request(cell);
  for (int version = 2; version <= 4; ++version) {
    const bool serves = sim::kernel_supports(version, request, request.flags);
    out << fmt::format("{:<9}{} could serve it: {}\n", version == 2 ? "kernels" : "", shown(sim::version_name(version)),
                       serves ? how(version, request) : why_not(version, request));
  }
}

matrix::Verdict explain_subject(std::ostream& out, const matrix::Cell& cell, const sim::Subject& subject)
{
  const sim::Request request = matrix::to_request(cell);
  sim::CellPlan plan;
  subject.plan(request, true, plan);
  matrix::Judgement judgement;
  matrix::judge(request, plan, judgement);
  out << "\nsubject  " << subject.name() << ": " << subject.description() << "\nverdict  "
      << matrix::verdict_name(judgement.worst()) << '\n';
  print_ranks(out, plan);
  print_checks(out, judgement);
  return judgement.worst();
}

}  // namespace flashgate::app
