#include "matrix/provenance.h"

#include <ctime>
#include <fstream>
#include <thread>

#include <fmt/format.h>
#include <sys/utsname.h>

#include "matrix/build_info.h"
#include "matrix/texts.h"

namespace flashgate::matrix {
namespace {

/// The processor's model name as Linux tells it; empty where it doesn't.
std::string processor_name()
{
  std::ifstream info("/proc/cpuinfo");
  for (std::string line; std::getline(info, line);)
    if (line.starts_with("model name")) return std::string(trim(line.substr(line.find(':') + 1)));
  return {};
}

std::string machine_name()
{
  utsname system{};
  uname(&system);
  return fmt::format("{} {} {}, {}, {} cores", system.sysname, system.release, system.machine, processor_name(),
                     std::thread::hardware_concurrency());
}

}  // namespace

Provenance current_provenance()
{
  return {build_info::kCommit, build_info::kDirty, build_info::kCompiler, build_info::kBuildType, machine_name()};
}

std::string utc_now()
{
  const std::time_t now = std::time(nullptr);
  std::tm utc{};
  gmtime_r(&now, &utc);
  char text[32];
  std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &utc);
  return text;
}

}  // namespace flashgate::matrix
