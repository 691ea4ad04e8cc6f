#include "tests/matrix/saboteurs.h"

#include "sim/dispatch/effective_first.h"
#include "sim/dispatch/kernel_ops.h"
#include "sim/dispatch/kernel_support.h"

namespace flashgate::tests {
namespace {

using sim::CellPlan;
using sim::Launch;
using sim::RankPlan;
using sim::Request;
using sim::Symbol;

/// Spoils every rank's plan that got through.
Saboteur::Spoil each_served_rank(std::function<void(const Request&, RankPlan&)> spoil)
{
  return [spoil = std::move(spoil)](const Request& request, CellPlan& plan) {
    for (int rank = 0; rank < plan.rank_count(); ++rank)
      if (!plan.rank(rank).error) spoil(request, plan.rank(rank));
  };
}

/// A launch of another version, right in everything else: even dropout is passed on.
Launch as_version(Launch launch, int version, const Request& request, bool backward)
{
  const Launch right = backward ? sim::backward_launch(request, version, request.flags)
                                : sim::forward_launch(request, version, request.flags);
  launch = right;
  launch.dropout = request.dropout;
  return launch;
}

/// A version other than `version` that breaks no rule about v3.
int another(int version) { return version == 2 ? 4 : 2; }

void run_everything_as(int version, const Request& request, RankPlan& plan)
{
  plan.forward = as_version(plan.forward, version, request, false);
  if (plan.second_forward) plan.second_forward = plan.forward;
  plan.backward = as_version(plan.backward, version, request, true);
  plan.lse_version = plan.handed_version = version;
}

void other_family_in_backward(const Request& request, RankPlan& plan)
{
  plan.backward = as_version(plan.backward, another(plan.forward.version), request, true);
  plan.lse_version = plan.backward.version;  // recomputed, so that only the family is wrong
}

void other_version_in_second_forward(const Request& request, RankPlan& plan)
{
  if (!plan.second_forward) return;
  const int second = another(plan.forward.version);
  plan.second_forward = as_version(plan.second_forward, second, request, false);
  plan.backward = as_version(plan.backward, second, request, true);
  plan.lse_version = second;  // the second forward really ran
}

void v3_where_it_is_not_deterministic(const Request& request, RankPlan& plan)
{
  if (request.flags.deterministic && sim::v3_deterministic_unsupported(request)) run_everything_as(3, request, plan);
}

void refuse_what_could_be_served(const Request&, CellPlan& plan)
{
  for (int rank = 0; rank < plan.rank_count(); ++rank) {
    if (plan.rank(rank).error) continue;
    plan.rank(rank) = RankPlan();
    plan.rank(rank).fail(sim::Phase::forward, Symbol("ValueError"), Symbol("not today"));
  }
}

void fail_in_backward(const Request&, RankPlan& plan)
{
  plan.fail(sim::Phase::backward, Symbol("ValueError"), Symbol("too late"));
}

void key_error_in_second_forward(const Request&, RankPlan& plan)
{
  if (!plan.second_forward) return;
  plan.backward = Launch();
  plan.fail(sim::Phase::second_forward, Symbol("KeyError"), Symbol("'seed_offset'"));
}

void last_rank_goes_another_way(const Request& request, CellPlan& plan)
{
  RankPlan& last = plan.rank(plan.rank_count() - 1);
  if (plan.rank_count() > 1 && !last.error) run_everything_as(another(last.forward.version), request, last);
}

void last_rank_leaves_early(const Request&, CellPlan& plan)
{
  RankPlan& last = plan.rank(plan.rank_count() - 1);
  if (plan.rank_count() > 1 && !last.error) last.collectives.count -= 2;
}

void accept_an_invalid_flag(const Request& request, CellPlan& plan)
{
  if (sim::is_valid_version(request.flags.version)) return;
  Request valid = request;
  valid.flags.version = 2;
  valid.second_flags = valid.flags;
  sim::EffectiveFirst().plan(valid, false, plan);
}

}  // namespace

void Saboteur::plan(const Request& request, bool with_trace, CellPlan& plan) const
{
  sim::EffectiveFirst().plan(request, with_trace, plan);
  spoil_(request, plan);
}

std::vector<Saboteur> saboteurs()
{
  return {
      {"other family in backward", "I1", each_served_rank(other_family_in_backward)},
      {"layout of another signature", "I2", each_served_rank([](const Request&, RankPlan& p) { ++p.backward.arity; })},
      {"fails in backward", "I3", each_served_rank(fail_in_backward)},
      {"v3 where it is not deterministic", "I4", each_served_rank(v3_where_it_is_not_deterministic)},
      {"refuses what could be served", "I5", refuse_what_could_be_served},
      {"other version in second forward", "I6", each_served_rank(other_version_in_second_forward)},
      {"KeyError in second forward", "I6", each_served_rank(key_error_in_second_forward)},
      {"last rank goes another way", "I7", last_rank_goes_another_way},
      {"last rank leaves early", "I7", last_rank_leaves_early},
      {"backward by configuration", "I8",
       each_served_rank([](const Request&, RankPlan& p) { p.backward_source = sim::Source::config; })},
      {"scale is no float", "I9",
       each_served_rank([](const Request&, RankPlan& p) { p.backward.scale = sim::ScaleArgument::other; })},
      {"causal turned round", "I9", each_served_rank([](const Request&, RankPlan& p) { p.backward.causal ^= true; })},
      {"dropout forgotten", "I9", each_served_rank([](const Request&, RankPlan& p) { p.forward.dropout = false; })},
      {"accepts an invalid flag", "I10", accept_an_invalid_flag},
      {"reads a foreign LSE", "I11",
       each_served_rank([](const Request&, RankPlan& p) { p.lse_version = another(p.backward.version); })},
  };
}

}  // namespace flashgate::tests
