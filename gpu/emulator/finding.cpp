#include "gpu/emulator/finding.h"

#include <array>
#include <utility>

#include <fmt/format.h>

#include "reference/error.h"

namespace flashgate::gpu {
namespace {

constexpr std::array<std::string_view, kCheckCount> kNames = {
    "barrier-divergence", "warp-divergence", "barrier-exit",  "early-exit",    "hang",         "race-shared",
    "race-global",        "async-read",      "uninit-shared", "uninit-global", "uninit-local", "uninit-register",
    "out-of-bounds",      "misaligned",      "assert",        "trap"};

struct Group
{
  std::string_view name;
  std::array<Check, 4> checks;  // a shorter group repeats its last
};

constexpr Group kGroups[] = {
    {"race", {Check::race_shared, Check::race_global, Check::race_global, Check::race_global}},
    {"uninit", {Check::uninit_shared, Check::uninit_global, Check::uninit_local, Check::uninit_register}},
    {"bounds", {Check::out_of_bounds, Check::out_of_bounds, Check::out_of_bounds, Check::out_of_bounds}},
    {"async", {Check::async_read, Check::async_read, Check::async_read, Check::async_read}},
};

void add_named(CheckSet& checks, std::string_view word)
{
  for (const Group& group : kGroups) {
    if (group.name != word) continue;
    for (const Check check : group.checks)
      checks.add(check);
    return;
  }
  for (int i = 0; i < kCheckCount; ++i) {
    if (kNames[i] == word) return checks.add(static_cast<Check>(i));
  }
  throw Error(fmt::format("unknown check '{}'; groups are race, uninit, bounds, async, checks are {}", word,
                          fmt::join(kNames, ", ")));
}

std::uint64_t place(Check check, std::int32_t instruction, std::int32_t other)
{
  constexpr std::uint64_t kBits = (1U << 29) - 1;
  return static_cast<std::uint64_t>(check) << 58 | (static_cast<std::uint64_t>(instruction) & kBits) << 29 |
         (static_cast<std::uint64_t>(other) & kBits);
}

}  // namespace

std::string_view check_name(Check check) { return kNames[static_cast<std::size_t>(check)]; }

CheckSet CheckSet::always()
{
  CheckSet checks(0);
  for (const Check check : {Check::barrier_divergence, Check::warp_divergence, Check::barrier_exit, Check::early_exit,
                            Check::hang, Check::out_of_bounds, Check::assertion, Check::trap}) {
    checks.add(check);
  }
  return checks;
}

CheckSet parse_checks(std::string_view text)
{
  CheckSet checks = CheckSet::always();
  while (!text.empty()) {
    const std::size_t comma = text.find(',');
    add_named(checks, text.substr(0, comma));
    text = comma == std::string_view::npos ? std::string_view() : text.substr(comma + 1);
  }
  return checks;
}

bool FindingLog::is_new(Check check, std::int32_t instruction, std::int32_t other) const
{
  return findings_.size() < kLimit && places_.count(place(check, instruction, other)) == 0;
}

void FindingLog::add(Finding finding)
{
  const std::uint64_t key = place(finding.check, finding.instruction, finding.other);
  const auto known = places_.find(key);
  if (known != places_.end()) {
    findings_[known->second].count += finding.count;
  } else if (findings_.size() < kLimit) {
    places_.emplace(key, findings_.size());
    findings_.push_back(std::move(finding));
  } else {
    dropped_ += finding.count;
  }
}

}  // namespace flashgate::gpu
