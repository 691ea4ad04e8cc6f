#include "gpu/runtime/emulation_report.h"

#include <fstream>
#include <nlohmann/json.hpp>

#include "reference/error.h"

namespace flashgate::gpu::runtime {

using nlohmann::json;

NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(KernelSummary, name, launches, blocks, instructions, shared_bank_conflicts,
                                   global_sectors, global_bytes, varies)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(ReportedFinding, check, kernel, place, site, earlier, detail, count, warning)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(EmulationReport, kernels, findings, refused, finished)

namespace {

/// Text from a program's symbols may hold anything: invalid UTF-8 is replaced, not thrown at.
std::string dump(const json& value) { return value.dump(1, ' ', false, json::error_handler_t::replace); }

template <typename T>
T parse(const std::string& text, const std::string& what)
{
  try {
    return json::parse(text).get<T>();
  } catch (const json::exception& error) {
    throw Error(what + ": " + error.what());
  }
}

}  // namespace

// A path is no type of JSON's, so the options are written out.
void to_json(json& value, const EmulationOptions& options)
{
  value = json{{"checks", options.checks},
               {"schedules", options.schedules},
               {"architecture", options.architecture},
               {"multiprocessors", options.multiprocessors},
               {"memory_bytes", options.memory_bytes},
               {"instruction_budget", options.instruction_budget},
               {"report", options.report.string()}};
}

void from_json(const json& value, EmulationOptions& options)
{
  value.at("checks").get_to(options.checks);
  value.at("schedules").get_to(options.schedules);
  value.at("architecture").get_to(options.architecture);
  value.at("multiprocessors").get_to(options.multiprocessors);
  value.at("memory_bytes").get_to(options.memory_bytes);
  value.at("instruction_budget").get_to(options.instruction_budget);
  options.report = value.at("report").get<std::string>();
}

std::string to_text(const EmulationOptions& options) { return json(options).dump(); }

EmulationOptions parse_emulation_options(const std::string& text)
{
  return parse<EmulationOptions>(text, std::string(kOptionsVariable));
}

void write_report(const EmulationReport& report, const std::filesystem::path& file)
{
  const std::filesystem::path next = file.string() + ".new";
  {
    std::ofstream out(next);
    out << dump(json(report)) << '\n';
    if (!out.flush()) throw Error(file.string() + ": can't be written");
  }
  std::filesystem::rename(next, file);
}

EmulationReport read_report(const std::filesystem::path& file)
{
  std::ifstream in(file);
  if (!in) throw Error(file.string() + ": no report");
  const std::string text((std::istreambuf_iterator<char>(in)), {});
  return parse<EmulationReport>(text, file.string());
}

}  // namespace flashgate::gpu::runtime
