#include "sim/dispatch/subject_protocol.h"

#include <nlohmann/json.hpp>

#include "sim/dispatch/kernel_ops.h"
#include "sim/dispatch/kernel_support.h"
#include "sim/dispatch/plan_parser.h"
#include "sim/dispatch/request_text.h"
#include "sim/process/plain_line.h"

namespace flashgate::sim {
namespace {

using nlohmann::json;

json worlds_of(const Request& request)
{
  json worlds = json::array();
  for (const int rank : world_ranks(request))
    worlds.push_back({{"rank", rank}, {"v4_import", rank < request.ranks_with_v4}});
  return worlds;
}

json refusals_of(const Request& request)
{
  json refusals = json::object();
  for (int version = 2; version <= 4; ++version)
    if (const Symbol refusal = kernel_refusal(version, request); !refusal.empty())
      refusals[std::to_string(version)] = refusal.text();
  return refusals;
}

json cell_of(const Request& r, std::size_t id)
{
  return {{"id", id},
          {"path", path_text(r.path)},
          {"flag_version", r.flags.version},
          {"deterministic", r.flags.deterministic},
          {"second_flag_version", r.second_flags.version},
          {"second_deterministic", r.second_flags.deterministic},
          {"config_version", r.config.version},
          {"config_deterministic", r.config.deterministic},
          {"device", device_text(r.device)},
          {"head_dim", r.head_dim.qk},
          {"head_dim_v", r.head_dim.v},
          {"signature", signature_text(r.signature)},
          {"mask_columns", r.mask_columns},
          {"causal", r.causal},
          {"causal_direct", r.causal_direct},
          {"training", r.training},
          {"dropout", r.dropout},
          {"scale_set", r.scale_set},
          {"cute_gradients", r.cute_gradients},
          {"cp_size", r.cp_size},
          {"worlds", worlds_of(r)},
          {"refusals", refusals_of(r)}};
}

json parse_object(std::string_view line)
{
  json value = json::parse(line, nullptr, /*allow_exceptions=*/false);
  if (!value.is_object()) throw ProtocolError("is no JSON object: " + plain_line(line, 80));
  return value;
}

std::string text_at(const json& object, const char* key)
{
  const auto found = object.find(key);
  return found != object.end() && found->is_string() ? plain_line(found->get_ref<const std::string&>(), 200) : "";
}

WorldPlan world_plan(const json& value, NamedPlans& named)
{
  constexpr std::size_t kMostNames = 100'000;
  if (value.is_string()) {
    const auto known = named.find(value.get_ref<const std::string&>());
    if (known == named.end()) throw ProtocolError("has a plan of unknown name " + plain_line(value.dump(), 80));
    return known->second;
  }
  WorldPlan plan = parse_world_plan(value);
  if (const std::string name = text_at(value, "name"); !name.empty() && named.size() < kMostNames) named[name] = plan;
  return plan;
}

/// The device refuses the first forward: nothing after it happened.
void apply_refusal(const Request& request, WorldPlan& world)
{
  RankPlan& plan = world.plan;
  const bool launched = is_valid_version(plan.forward.version);
  if (!launched || plan.error.phase == Phase::import || plan.error.kind == subject_error()) return;
  const Symbol refusal = kernel_refusal(plan.forward.version, request);
  const bool wrong_call =
      plan.forward.arity != forward_arity(plan.forward.version, request.path != Path::rr_flash, request.signature);
  if (refusal.empty() || wrong_call) return;
  static const Symbol not_supported("not_supported"), decision("not supported");
  const bool told = plan.error.phase == Phase::forward && plan.error.kind == not_supported;
  plan.second_forward = plan.backward = {};
  plan.handed_version = plan.lse_version = 0;
  plan.collectives.count = std::min(plan.collectives.count, world.forward_collectives);
  plan.fail(Phase::forward, not_supported, refusal);
  std::erase_if(plan.trace, [](const TraceStep& step) { return step.phase > Phase::forward; });
  if (!told) plan.trace.push_back({Phase::forward, decision, refusal});
}

/// Completes launches of which only the version was said.
void complete_launches(const Request& request, RankPlan& plan)
{
  if (plan.forward && plan.forward.kernel.empty())
    plan.forward = forward_launch(request, plan.forward.version, request.flags);
  if (plan.second_forward && plan.second_forward.kernel.empty())
    plan.second_forward = forward_launch(request, plan.second_forward.version, request.second_flags);
  if (plan.backward && plan.backward.kernel.empty())
    plan.backward = backward_launch(request, plan.backward.version, request.second_flags);
}

}  // namespace

std::string hello_line()
{
  return json{{"hello", {{"protocol", kSubjectProtocol}, {"program", "flashgate"}}}}.dump() + "\n";
}

SubjectHello parse_hello(std::string_view line)
{
  const json message = parse_object(line);
  const auto hello = message.find("hello");
  if (hello == message.end() || !hello->is_object()) throw ProtocolError("says no hello: " + plain_line(line, 80));
  const auto protocol = hello->find("protocol");
  if (protocol == hello->end() || *protocol != kSubjectProtocol)
    throw ProtocolError("does not speak protocol " + std::to_string(kSubjectProtocol));
  SubjectHello result{text_at(*hello, "name"), text_at(*hello, "revision"), {}};
  if (const auto paths = hello->find("paths"); paths != hello->end() && paths->is_array())
    for (const json& path : *paths)
      if (path.is_string() && result.paths.size() < 32) result.paths.push_back(plain_line(path.get<std::string>(), 80));
  return result;
}

std::string batch_line(int batch, std::span<const Request* const> cells, bool with_trace)
{
  json message{{"batch", batch}, {"trace", with_trace}, {"cells", json::array()}};
  for (std::size_t i = 0; i < cells.size(); ++i)
    message["cells"].push_back(cell_of(*cells[i], i));
  return message.dump() + "\n";
}

SubjectReply parse_reply(std::string_view line, int batch, NamedPlans& named)
{
  const json message = parse_object(line);
  if (message.value("batch", json()) != batch) throw ProtocolError("answers another batch: " + plain_line(line, 80));
  SubjectReply reply;
  reply.done = message.value("done", json()) == true;
  if (reply.done) {
    if (const auto lines = message.find("executable"); lines != message.end())
      reply.executable = parse_source_lines(*lines);
    return reply;
  }
  const auto cell = message.find("cell");
  const auto ranks = message.find("ranks");
  if (cell == message.end() || !cell->is_number_integer() || ranks == message.end() || !ranks->is_array())
    throw ProtocolError("has no cell, or no ranks: " + plain_line(line, 80));
  const auto id = cell->get<std::int64_t>();
  reply.cell = id >= 0 && id < (1 << 24) ? static_cast<int>(id) : -1;
  for (const json& rank : *ranks)
    reply.worlds.push_back(world_plan(rank, named));
  return reply;
}

std::vector<int> world_ranks(const Request& request)
{
  const bool skewed = request.ranks_with_v4 > 0 && request.ranks_with_v4 < request.cp_size;
  return skewed ? std::vector<int>{0, request.ranks_with_v4} : std::vector<int>{0};
}

void assemble_plan(const Request& request, const std::vector<WorldPlan>& worlds, bool with_trace, CellPlan& plan)
{
  const std::vector<int> ranks = world_ranks(request);
  if (worlds.size() != ranks.size())
    throw ProtocolError("gives " + std::to_string(worlds.size()) + " plans, asked for " + std::to_string(ranks.size()));
  plan.reset(request.cp_size);
  for (std::size_t i = 0; i < ranks.size(); ++i) {
    WorldPlan world = worlds[i];
    complete_launches(request, world.plan);
    apply_refusal(request, world);
    if (!with_trace) world.plan.trace.clear();
    const int end = i + 1 < ranks.size() ? ranks[i + 1] : request.cp_size;
    for (int rank = ranks[i]; rank < end; ++rank)
      plan.rank(rank) = world.plan;
  }
}

}  // namespace flashgate::sim
