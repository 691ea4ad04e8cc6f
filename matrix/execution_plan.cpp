#include <algorithm>
#include <array>
#include <future>
#include <span>

#include "matrix/execution_selection.h"
#include "reference/mask_families.h"

namespace flashgate::matrix {
namespace {

using Id = NumericsAxisId;

constexpr std::array kPinnedAxes{Id::kernel,       Id::direction,     Id::head_dim, Id::causal,
                                 Id::mask_columns, Id::deterministic, Id::cp_size,  Id::scale};

void set_number(NumericsCase& pin, NumericsAxisId id, int number, int second = 0)
{
  pin[id] = static_cast<std::uint8_t>(*find_numerics_number(id, number, second));
}

NumericsCase make_pin(const sim::Request& request, const sim::Launch& launch, bool backward)
{
  NumericsCase pin;
  set_number(pin, Id::kernel, launch.version);
  set_number(pin, Id::direction, backward ? 1 : 0);
  set_number(pin, Id::head_dim, request.head_dim.qk, request.head_dim.v);
  set_number(pin, Id::causal, request.causal ? 1 : 0);
  set_number(pin, Id::mask_columns, request.mask_columns);
  set_number(pin, Id::deterministic, launch.deterministic ? 1 : 0);
  set_number(pin, Id::cp_size, sim::is_context_parallel(request.path) ? request.cp_size : 1);
  set_number(pin, Id::scale, request.scale_set ? 1 : 0);
  return pin;
}

bool some_family_has(const reference::Encoding& encoding)
{
  for (const reference::FamilyRow& row : reference::families())
    if (reference::has_encoding(row.family, encoding)) return true;
  return false;
}

/// Why a launch can't be executed; empty if it can.
std::string_view skip_reason(const sim::Request& request, const sim::Launch& launch)
{
  if (launch.dropout) return "dropout is random, there is nothing to compare with";
  if (!some_family_has({request.causal, request.mask_columns})) return "no mask family has these columns and causal";
  if (request.scale_set && launch.version == 2) return "v2 takes no softmax_scale";
  return "";
}

void add_launch(const sim::Request& request, const sim::Launch& launch, bool backward, PlannedExecutions& planned)
{
  const std::string_view reason = skip_reason(request, launch);
  if (reason.empty())
    planned.pins.push_back(make_pin(request, launch, backward));
  else
    planned.skips.push_back({backward, reason});
}

/// True if an error kept `phase` from running to its end.
bool stopped_before(sim::Phase phase, const sim::PlanError& error) { return error && error.phase <= phase; }

/// Cells asked for at once: few enough that their plans need no memory to speak of.
constexpr std::size_t kBatch = 256;

void collect_range(std::span<const Cell> cells, const sim::Subject& subject, std::set<NumericsCase>& pins)
{
  for (; !cells.empty(); cells = cells.subspan(std::min(kBatch, cells.size()))) {
    std::vector<sim::Request> requests;
    for (const Cell& cell : cells.first(std::min(kBatch, cells.size())))
      requests.push_back(to_request(cell));
    std::vector<sim::CellPlan> plans(requests.size());
    subject.plan_batch(requests, false, plans);
    for (std::size_t i = 0; i < plans.size(); ++i) {
      const PlannedExecutions planned = planned_executions(cells[i], plans[i].rank(0));
      pins.insert(planned.pins.begin(), planned.pins.end());
    }
  }
}

}  // namespace

NumericsCase pin_of(const NumericsCase& numerics)
{
  NumericsCase pin;
  for (const NumericsAxisId id : kPinnedAxes)
    pin[id] = numerics[id];
  return pin;
}

PlannedExecutions planned_executions(const Cell& cell, const sim::RankPlan& plan)
{
  const sim::Request request = to_request(cell);
  PlannedExecutions planned;
  if (!plan.forward || stopped_before(sim::Phase::forward, plan.error)) return planned;
  add_launch(request, plan.forward, false, planned);
  if (!plan.backward || stopped_before(sim::Phase::backward, plan.error)) return planned;
  const sim::Launch& followed = plan.second_forward ? plan.second_forward : plan.forward;
  if (followed.version != plan.backward.version)
    planned.skips.push_back({true, "mixed pair"});
  else
    add_launch(request, plan.backward, true, planned);
  return planned;
}

std::set<NumericsCase> collect_pins(const std::vector<Cell>& cells, const std::vector<SubjectPtr>& subjects, int jobs)
{
  std::set<NumericsCase> all;
  std::vector<std::future<std::set<NumericsCase>>> parts;
  const std::size_t share = cells.size() / static_cast<std::size_t>(jobs) + 1;
  for (const SubjectPtr& subject : subjects) {
    for (std::size_t begin = 0; begin < cells.size(); begin += share)
      parts.push_back(std::async(std::launch::async, [&cells, &subject, begin, share] {
        std::set<NumericsCase> pins;
        collect_range(std::span(cells).subspan(begin, std::min(share, cells.size() - begin)), *subject, pins);
        return pins;
      }));
    for (auto& part : parts)
      all.merge(part.get());
    parts.clear();
  }
  return all;
}

}  // namespace flashgate::matrix
