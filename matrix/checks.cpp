#include "matrix/checks.h"

#include <algorithm>

#include <fmt/format.h>

#include "sim/dispatch/kernel_ops.h"
#include "sim/dispatch/kernel_support.h"
#include "sim/dispatch/rank_group.h"

namespace flashgate::matrix {
namespace {

using sim::CellPlan;
using sim::Launch;
using sim::Path;
using sim::Phase;
using sim::PlanError;
using sim::RankPlan;
using sim::Request;
using sim::Source;
using sim::Symbol;
using sim::version_name;

constexpr Finding kNotApplicable{};
constexpr Finding kPass{true, Verdict::pass, {}, {}};

Finding found(Verdict verdict, std::string_view pattern, std::array<Symbol, 4> words = {})
{
  return {true, verdict, pattern, words};
}

Finding fail(std::string_view pattern, std::array<Symbol, 4> words = {})
{
  return found(Verdict::fail, pattern, words);
}

bool is_not_supported(const PlanError& error)
{
  static const Symbol kind("not_supported");
  return error.kind == kind;
}

/// True if the request got through import and every forward.
bool forward_accepted(const RankPlan& plan) { return !plan.error || plan.error.phase == Phase::backward; }

/// The forward that backward follows.
const Launch& last_forward(const RankPlan& plan) { return plan.second_forward ? plan.second_forward : plan.forward; }

/// The worst finding over the ranks, the first of equals.
template <typename JudgeRank>
Finding each_rank(const Request& request, const CellPlan& plan, JudgeRank judge_rank)
{
  Finding worst = kNotApplicable;
  Request seen = request;
  for (seen.rank = 0; seen.rank < plan.rank_count(); ++seen.rank) {
    const Finding finding = judge_rank(seen, plan.rank(seen.rank));
    if (finding.applies && (!worst.applies || worst.verdict < finding.verdict)) worst = finding;
  }
  return worst;
}

Finding one_family(const Request&, const RankPlan& plan)
{
  if (!plan.backward) return kNotApplicable;
  const int forward = last_forward(plan).version;
  if (forward == plan.backward.version) return kPass;
  return fail("forward {}, backward {}", {version_name(forward), version_name(plan.backward.version)});
}

Finding layout_fits(const Request& request, const RankPlan& plan)
{
  if (!plan.backward || request.path == Path::paddle_functional) return kNotApplicable;
  const int takes = sim::backward_arity(plan.backward.version, request.path != Path::rr_flash, request.signature);
  if (plan.backward.arity == takes) return kPass;
  return fail("backward {}: arguments of another signature's layout", {plan.backward.kernel});
}

Finding no_late_failure(const Request&, const RankPlan& plan)
{
  if (!forward_accepted(plan)) return kNotApplicable;
  if (!plan.error) return kPass;
  return fail("forward {} accepted, backward raises {}", {version_name(last_forward(plan).version), plan.error.kind});
}

/// Judges a launch even where the device then refuses it, as I8 and I9 do: what is wrong is the choice.
Finding deterministic_not_on_v3(const Request& request, const RankPlan& plan)
{
  const std::array<std::pair<Phase, const Launch*>, 3> launches{{{Phase::forward, &plan.forward},
                                                                 {Phase::second_forward, &plan.second_forward},
                                                                 {Phase::backward, &plan.backward}}};
  if (!plan.forward) return kNotApplicable;
  if (!sim::v3_deterministic_unsupported(request)) return kPass;
  for (const auto& [phase, launch] : launches)
    if (launch->version == 3 && launch->deterministic)
      return fail("deterministic, but {} 3 where v3 is not deterministic, expected 2",
                  {phase == Phase::backward ? Symbol("backward") : Symbol("forward")});
  return kPass;
}

/// An exception that names no cause a person can act on, unlike a refusal by ValueError, AssertionError and the like.
bool is_accident(Symbol kind)
{
  static const std::array<Symbol, 5> refusals{Symbol("ValueError"), Symbol("AssertionError"), Symbol("RuntimeError"),
                                              Symbol("NotImplementedError"), Symbol("not_supported")};
  return std::find(refusals.begin(), refusals.end(), kind) == refusals.end();
}

bool is_unfinished_feature(Symbol kind)
{
  static const Symbol not_implemented("NotImplementedError");
  return kind == not_implemented;
}

Finding supported_is_served(const Request& request, const RankPlan& plan)
{
  const PlanError& error = plan.error;
  if (!error || error.phase == Phase::backward) return kPass;
  const std::array<Symbol, 4> words{sim::phase_name(error.phase), error.kind, error.message};
  if (is_not_supported(error)) return found(Verdict::not_supported, "{2}", {Symbol(), Symbol(), error.message});
  if (error.phase == Phase::second_forward)
    return is_accident(error.kind) ? kNotApplicable : found(Verdict::not_supported, "{1} in {0}: {2}", words);
  if (is_accident(error.kind)) return fail("{1} in {0}: {2}", words);

  const int asked = request.flags.version;
  const bool asks_for_missing_v4 = asked == 4 && !sim::v4_available_in_group(request);
  const bool must_serve = sim::is_valid_version(asked) && !asks_for_missing_v4 && !is_unfinished_feature(error.kind) &&
                          sim::some_kernel_supports(asked, request, request.flags);
  if (must_serve) return fail("{1} in {0}, though a kernel supports the request: {2}", words);
  return found(Verdict::not_supported, "{1} in {0}: {2}", words);
}

Finding forwards_agree(const Request&, const RankPlan& plan)
{
  const bool second_failed = plan.error.phase == Phase::second_forward;
  if (!plan.second_forward && !second_failed) return kNotApplicable;
  if (second_failed) {
    if (!is_accident(plan.error.kind)) return kPass;
    return fail("second forward raises {}: {}", {plan.error.kind, plan.error.message});
  }
  if (plan.forward.version == plan.second_forward.version) return kPass;
  return fail("first forward {}, second forward {}",
              {version_name(plan.forward.version), version_name(plan.second_forward.version)});
}

Symbol route_name(const RankPlan& plan) { return plan.error ? plan.error.kind : version_name(plan.forward.version); }

Finding ranks_agree(const Request&, const CellPlan& plan)
{
  if (plan.rank_count() < 2) return kNotApplicable;
  if (const auto hang = sim::find_hang(plan)) {
    const PlanError& error = plan.rank(hang->absent_rank).error;
    const Symbol collective = sim::collective_name(hang->collective);
    if (!error) return found(Verdict::hang, "a rank waits in {} for one that never enters it", {collective});
    return found(Verdict::hang, "a rank waits in {} for one that raised {} in {}",
                 {collective, error.kind, sim::phase_name(error.phase)});
  }
  for (int rank = 1; rank < plan.rank_count(); ++rank)
    if (!same_route(plan.rank(0), plan.rank(rank)))
      return fail("ranks go different ways: {}, {}", {route_name(plan.rank(0)), route_name(plan.rank(rank))});
  return kPass;
}

/// The two sources differ in something that steers this request: the version always, deterministic where a rule asks.
bool settings_conflict(const Request& request)
{
  if (request.second_flags.version != request.config.version) return true;
  return request.second_flags.deterministic != request.config.deterministic &&
         sim::v3_deterministic_unsupported(request);
}

Finding one_source(const Request& request, const RankPlan& plan)
{
  const bool sources_known = plan.forward_source != Source::unknown && plan.backward_source != Source::unknown;
  const bool got_to_choose = plan.forward || (plan.error.phase == Phase::forward && is_accident(plan.error.kind));
  if (request.path == Path::paddle_functional || !sources_known || !got_to_choose) return kNotApplicable;
  if (plan.forward_source == plan.backward_source || !settings_conflict(request)) return kPass;
  return fail("forward's version comes from the flags, backward's from the model's configuration, and they differ");
}

Finding wrong_argument(const Request& request, const Launch& launch, Symbol where)
{
  if (launch.scale == sim::ScaleArgument::other) return fail("{} {}: scale is not a float", {where, launch.kernel});
  if (launch.causal != request.causal) return fail("{} {}: causal is not the one asked for", {where, launch.kernel});
  if (request.dropout && !launch.dropout) return fail("{} {}: dropout silently ignored", {where, launch.kernel});
  return kPass;
}

Finding arguments_as_asked(const Request& request, const RankPlan& plan)
{
  static const Symbol forward("forward"), backward("backward");
  if (request.path == Path::paddle_functional || !plan.forward) return kNotApplicable;
  const Finding finding = wrong_argument(request, plan.forward, forward);
  if (finding.verdict != Verdict::pass || !plan.backward) return finding;
  return wrong_argument(request, plan.backward, backward);
}

Finding invalid_is_rejected(const Request& request, const RankPlan& plan)
{
  if (sim::is_valid_version(request.flags.version) || is_not_supported(plan.error)) return kNotApplicable;
  if (plan.error) return kPass;
  return fail("invalid version accepted, runs {}", {version_name(plan.forward.version)});
}

Finding lse_is_forwards(const Request&, const RankPlan& plan)
{
  if (!plan.backward || plan.lse_version == 0) return kNotApplicable;
  if (plan.lse_version == plan.backward.version) return kPass;
  return fail("backward {} reads the LSE of {}", {version_name(plan.backward.version), version_name(plan.lse_version)});
}

/// Why the subject could not be asked on some rank; empty if it could. Nothing else is then worth judging, but as what
/// was not served the cell belongs to I5.
Symbol why_not_asked(const CellPlan& plan)
{
  for (int rank = 0; rank < plan.rank_count(); ++rank)
    if (plan.rank(rank).error.kind == sim::subject_error()) return plan.rank(rank).error.message;
  return {};
}

/// Makes the judge of a cell from the judge of a rank.
template <Finding (*JudgeRank)(const Request&, const RankPlan&)>
Finding by_rank(const Request& request, const CellPlan& plan)
{
  return each_rank(request, plan, JudgeRank);
}

}  // namespace

std::string Finding::text() const
{
  return fmt::format(fmt::runtime(pattern), words[0].text(), words[1].text(), words[2].text(), words[3].text());
}

const std::vector<Check>& checks()
{
  static const std::vector<Check> all{
      {"I1", "forward and backward are of one kernel family", by_rank<one_family>},
      {"I2", "backward's argument layout fits the signature", by_rank<layout_fits>},
      {"I3", "a request that forward accepted does not fail in backward", by_rank<no_late_failure>},
      {"I4", "deterministic mode never lands on v3 where v3 is not deterministic", by_rank<deterministic_not_on_v3>},
      {"I5", "a supported request is served; any other gets one clear error in forward", by_rank<supported_is_served>},
      {"I6", "first and second forward agree, or fail with one clear error", by_rank<forwards_agree>},
      {"I7", "all ranks take the same path", ranks_agree},
      {"I8", "forward's and backward's versions derive from one source", by_rank<one_source>},
      {"I9", "arguments have the types and values asked for", by_rank<arguments_as_asked>},
      {"I10", "an invalid version is rejected", by_rank<invalid_is_rejected>},
      {"I11", "the LSE that backward reads is the one its own family made", by_rank<lse_is_forwards>},
  };
  return all;
}

int find_check(std::string_view id)
{
  for (std::size_t i = 0; i < checks().size(); ++i)
    if (checks()[i].id == id) return static_cast<int>(i);
  return -1;
}

Verdict Judgement::worst() const
{
  Verdict verdict = Verdict::pass;
  for (const auto& [check, finding] : findings)
    verdict = worse(verdict, finding.verdict);
  return verdict;
}

void judge(const sim::Request& request, const sim::CellPlan& plan, Judgement& judgement)
{
  judgement.passed = 0;
  judgement.findings.clear();
  if (const Symbol why = why_not_asked(plan); !why.empty()) {
    judgement.findings.emplace_back(find_check("I5"), found(Verdict::error, "{0}", {why}));
    return;
  }
  for (std::size_t i = 0; i < checks().size(); ++i) {
    const Finding finding = checks()[i].judge(request, plan);
    if (!finding.applies) continue;
    if (finding.verdict == Verdict::pass)
      judgement.passed |= 1u << i;
    else
      judgement.findings.emplace_back(static_cast<int>(i), finding);
  }
}

}  // namespace flashgate::matrix
