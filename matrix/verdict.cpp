#include "matrix/verdict.h"

#include <array>

namespace flashgate::matrix {
namespace {

constexpr std::array<std::string_view, 11> kVerdicts{"pass",    "warn", "mistrusted", "not_supported", "skip",   "fail",
                                                     "timeout", "hang", "crash",      "error",         "missing"};
constexpr std::array<std::string_view, 6> kOutcomes{"as_is",           "expected_fail", "unexpected_pass",
                                                    "unexpected_skip", "known_flake",   "flake"};

}  // namespace

std::string_view verdict_name(Verdict verdict) { return kVerdicts[static_cast<std::size_t>(verdict)]; }
std::string_view outcome_name(Outcome outcome) { return kOutcomes[static_cast<std::size_t>(outcome)]; }

std::optional<Verdict> find_verdict(std::string_view name)
{
  for (std::size_t i = 0; i < kVerdicts.size(); ++i)
    if (kVerdicts[i] == name) return static_cast<Verdict>(i);
  return std::nullopt;
}

}  // namespace flashgate::matrix
