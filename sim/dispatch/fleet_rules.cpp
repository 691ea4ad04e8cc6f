#include "sim/dispatch/fleet_rules.h"

#include <string>

#include "sim/dispatch/kernel_ops.h"

namespace flashgate::sim {
namespace {

const Symbol kOnXpu("Fleet: on xpu");
const Symbol kVersionIs3("Fleet: version is 3");
const Symbol kDeterministic("Fleet: deterministic");
const Symbol kAbove128("Fleet: block_mask signature, deterministic, head_dim > 128");
const Symbol kLegacy("Fleet: legacy signature, deterministic");
const Symbol kV4Missing("Fleet: 4 asked for, v4 unavailable");
const Symbol kVersion("Fleet: version asked for");
const Symbol kValueError("ValueError");

bool deterministic_falls_back(const VersionSettings& settings, RankPlanner& planner)
{
  const Request& request = planner.request();
  const bool legacy = request.signature == Signature::legacy;
  Tracer& tracer = planner.tracer();
  return tracer.ask(kAbove128, !legacy && settings.deterministic && request.head_dim.qk > 128) ||
         tracer.ask(kLegacy, legacy && settings.deterministic);
}

int take(int version, RankPlanner& planner)
{
  planner.tracer().record(kVersion, version_name(version));
  return version;
}

bool on_xpu(RankPlanner& planner) { return planner.tracer().ask(kOnXpu, planner.request().device == Device::xpu); }

bool v4_missing(const VersionSettings& settings, RankPlanner& planner)
{
  return planner.tracer().ask(kV4Missing, settings.version == 4 && !v4_available(planner.request()));
}

}  // namespace

int deterministic_rule(const VersionSettings& settings, RankPlanner& planner)
{
  if (deterministic_falls_back(settings, planner)) return 2;
  return take(settings.version, planner);
}

int deterministic_rule_for_flag_3(const VersionSettings& settings, RankPlanner& planner)
{
  if (planner.tracer().ask(kVersionIs3, settings.version == 3)) return deterministic_rule(settings, planner);
  return take(settings.version, planner);
}

int deterministic_always_2(const VersionSettings& settings, RankPlanner& planner)
{
  if (planner.tracer().ask(kDeterministic, settings.deterministic)) return 2;
  return take(settings.version, planner);
}

int recompute_rule_a(const VersionSettings& settings, RankPlanner& planner)
{
  if (on_xpu(planner) || deterministic_falls_back(settings, planner)) return 2;
  if (v4_missing(settings, planner)) return 3;
  return take(settings.version, planner);
}

int recompute_rule_d(const VersionSettings& settings, RankPlanner& planner)
{
  if (on_xpu(planner)) return 2;
  if (planner.tracer().ask(kVersionIs3, settings.version == 3) && deterministic_falls_back(settings, planner)) return 2;
  if (v4_missing(settings, planner)) return 3;
  return take(settings.version, planner);
}

bool raise_unsupported_version(int version, RankPlanner& planner)
{
  return planner.raise(kValueError, Symbol("FlashAttention version " + std::to_string(version) + " is not supported"));
}

}  // namespace flashgate::sim
