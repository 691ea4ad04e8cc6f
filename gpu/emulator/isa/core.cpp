#include "gpu/emulator/isa/core.h"

#include <cstdlib>
#include <string>

#include "reference/error.h"

namespace flashgate::gpu::isa {
namespace {

constexpr Core kCores[] = {Core::avx512, Core::avx2, Core::generic};  // the fastest first

}  // namespace

std::string_view core_name(Core core)
{
  switch (core) {
    case Core::generic:
      return "generic";
    case Core::avx2:
      return "avx2";
    case Core::avx512:
      return "avx512";
  }
  return "";
}

bool core_available(Core core)
{
  const bool avx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && __builtin_cpu_supports("bmi2");
  switch (core) {
    case Core::generic:
      return true;
    case Core::avx2:
      return avx2;
    case Core::avx512:
      return avx2 && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
             __builtin_cpu_supports("avx512cd") && __builtin_cpu_supports("avx512dq") &&
             __builtin_cpu_supports("avx512vl");
  }
  return false;
}

Core best_core()
{
  const char* const wanted = std::getenv("FLASHGATE_CORE");
  for (const Core core : kCores) {
    if (wanted != nullptr && core_name(core) != wanted) continue;
    if (core_available(core)) return core;
    if (wanted != nullptr) throw Error("FLASHGATE_CORE=" + std::string(wanted) + ": this processor lacks it");
  }
  throw Error("FLASHGATE_CORE=" + std::string(wanted != nullptr ? wanted : "") + ": expected generic, avx2 or avx512");
}

}  // namespace flashgate::gpu::isa
