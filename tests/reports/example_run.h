#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "reports/summary.h"

namespace flashgate::tests {

/// A step of a route, for short: {"fwd", "launches", "v3"}.
struct Step
{
  sim::Phase phase;
  std::string_view decision, outcome;
};

matrix::RouteRow route(const std::vector<Step>& steps, std::string_view end, std::int64_t plans, matrix::Verdict worst,
                       std::string_view example);

/// Four routes through a small dispatcher with a bug: deterministic is decided after the fallback.
std::vector<matrix::RouteRow> faulty_routes();
/// The same dispatcher repaired.
std::vector<matrix::RouteRow> repaired_routes();

/// A run of two subjects and three checks with unexpected and expected failures, a hang, a stale expectation and two
/// reasons for exclusion. Every report has something to say about it.
reports::SummarySource example_source();
/// The same with nothing unexpected in it.
reports::SummarySource clean_source();

/// Texts that break what does not escape them.
const std::vector<std::string>& hostile_texts();

std::string read_file(const std::filesystem::path& path);

/// The golden file of that name; with FLASHGATE_UPDATE_GOLDEN set in the environment it is first written from `actual`.
std::string golden(const std::string& name, const std::string& actual);

}  // namespace flashgate::tests
