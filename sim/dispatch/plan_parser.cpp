#include "sim/dispatch/plan_parser.h"

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>

#include "sim/dispatch/kernel_ops.h"
#include "sim/process/plain_line.h"

namespace flashgate::sim {
namespace {

using nlohmann::json;

constexpr std::size_t kLongestText = 1000;  // of an error's message
constexpr std::size_t kLongestWord = 300;   // of a decision, a kind, a path
constexpr std::size_t kMostSteps = 400;

[[noreturn]] void refuse(const std::string& what, const json& value)
{
  const std::string shown = value.dump(-1, ' ', false, json::error_handler_t::replace);
  throw ProtocolError("has " + what + " " + plain_line(shown, 80));
}

/// The member `key`; nullptr if it is not there or null.
const json* member(const json& object, const char* key)
{
  const auto found = object.find(key);
  return found == object.end() || found->is_null() ? nullptr : &*found;
}

int number(const json& object, const char* key, int least, int most, int otherwise)
{
  const json* value = member(object, key);
  if (value == nullptr) return otherwise;
  if (!value->is_number_integer()) refuse(std::string("no whole number as ") + key + ":", *value);
  const auto result = value->get<std::int64_t>();
  if (result < least || result > most) refuse(std::string("an impossible ") + key + ":", *value);
  return static_cast<int>(result);
}

bool truth(const json& object, const char* key)
{
  const json* value = member(object, key);
  if (value == nullptr) return false;
  if (!value->is_boolean()) refuse(std::string("no boolean as ") + key + ":", *value);
  return value->get<bool>();
}

Symbol word(const json& value, std::size_t longest = kLongestWord)
{
  if (!value.is_string()) refuse("no text where one belongs:", value);
  return Symbol(plain_line(value.get_ref<const std::string&>(), longest));
}

Phase phase(const json& value)
{
  for (const Phase known : {Phase::import, Phase::forward, Phase::second_forward, Phase::backward})
    if (value.is_string() && value == phase_name(known).text()) return known;
  refuse("an unknown phase", value);
}

ScaleArgument scale_argument(const json& value)
{
  if (value == "none") return ScaleArgument::none;
  if (value == "float") return ScaleArgument::floating;
  if (value == "other") return ScaleArgument::other;
  refuse("an unknown scale", value);
}

Source source(const json& object, const char* key)
{
  const json* value = member(object, key);
  if (value == nullptr || *value == "unknown") return Source::unknown;
  if (*value == "flags") return Source::flags;
  if (*value == "config") return Source::config;
  refuse("an unknown source", *value);
}

Launch launch(const json& object, const char* key, bool is_backward)
{
  const json* value = member(object, key);
  if (value == nullptr) return {};
  if (!value->is_object()) refuse("no launch:", *value);
  Launch result;
  result.version = number(*value, "version", 2, 4, 0);
  if (result.version == 0) refuse("a launch without version:", *value);
  const json* kernel = member(*value, "kernel");
  if (kernel == nullptr) return result;
  result.kernel = word(*kernel);
  const auto name = is_backward ? backward_kernel : forward_kernel;
  if (result.kernel != name(result.version, true) && result.kernel != name(result.version, false))
    refuse("a kernel that version " + std::to_string(result.version) + " does not have:", *kernel);
  result.arity = number(*value, "arity", 0, 1000, -1);
  if (result.arity < 0) refuse("a launch without arity:", *value);
  result.deterministic = truth(*value, "deterministic");
  result.causal = truth(*value, "causal");
  result.dropout = truth(*value, "dropout");
  if (const json* scale = member(*value, "scale")) result.scale = scale_argument(*scale);
  return result;
}

PlanError plan_error(const json& object)
{
  const json* value = member(object, "error");
  if (value == nullptr) return {};
  if (!value->is_object() || !value->contains("phase") || !value->contains("kind")) refuse("no error:", *value);
  PlanError error{phase((*value)["phase"]), word((*value)["kind"]), {}};
  if (const json* message = member(*value, "message")) error.message = word(*message, kLongestText);
  if (error.kind.empty()) refuse("an error without kind:", *value);
  return error;
}

Collective collective(const json& value)
{
  for (const Collective known :
       {Collective::all_gather_k, Collective::all_gather_v, Collective::alltoall_dk, Collective::alltoall_dv})
    if (value.is_string() && value == collective_name(known).text()) return known;
  return Collective::other;
}

void read_collectives(const json& object, WorldPlan& world)
{
  const json* list = member(object, "collectives");
  if (list == nullptr) return;
  if (!list->is_array() || list->size() > world.plan.collectives.entered.size()) refuse("too many collectives:", *list);
  for (const json& entry : *list) {
    if (!entry.is_array() || entry.size() != 2) refuse("no collective:", entry);
    world.plan.collectives.enter(collective(entry[1]));
    world.forward_collectives += phase(entry[0]) <= Phase::forward;
  }
}

void read_trace(const json& object, RankPlan& plan)
{
  const json* list = member(object, "trace");
  if (list == nullptr) return;
  if (!list->is_array()) refuse("no trace:", *list);
  for (const json& step : *list) {
    if (plan.trace.size() == kMostSteps) return;
    if (!step.is_array() || step.size() != 3) refuse("no step of a trace:", step);
    plan.trace.push_back({phase(step[0]), word(step[1]), word(step[2])});
  }
}

}  // namespace

WorldPlan parse_world_plan(const json& value)
{
  if (!value.is_object()) refuse("no plan:", value);
  WorldPlan world;
  RankPlan& plan = world.plan;
  plan.forward = launch(value, "forward", false);
  plan.second_forward = launch(value, "second_forward", false);
  plan.backward = launch(value, "backward", true);
  plan.handed_version = number(value, "handed", -1'000'000, 1'000'000, 0);
  plan.lse_version = number(value, "lse", 0, 4, 0);
  if (plan.lse_version == 1) plan.lse_version = 0;
  plan.forward_source = source(value, "forward_source");
  plan.backward_source = source(value, "backward_source");
  plan.error = plan_error(value);
  read_collectives(value, world);
  read_trace(value, plan);
  if (const json* lines = member(value, "lines"))
    plan.lines = std::make_shared<const SourceLines>(parse_source_lines(*lines));
  if (!plan.error && (!plan.forward || !plan.backward)) refuse("neither both launches nor an error:", value);
  return world;
}

SourceLines parse_source_lines(const json& value)
{
  constexpr std::size_t kMostLines = 1'000'000;
  if (!value.is_object()) refuse("no lines:", value);
  SourceLines lines;
  std::size_t count = 0;
  for (const auto& [file, numbers] : value.items()) {
    if (!numbers.is_array() || (count += numbers.size()) > kMostLines) refuse("no lines:", numbers);
    std::vector<int>& mine = lines[plain_line(file, kLongestWord)];
    for (const json& line : numbers) {
      if (!line.is_number_unsigned() || line.get<std::uint64_t>() > kMostLines * 10) refuse("no line:", line);
      mine.push_back(line.get<int>());
    }
    std::sort(mine.begin(), mine.end());
    mine.erase(std::unique(mine.begin(), mine.end()), mine.end());
  }
  return lines;
}

}  // namespace flashgate::sim
