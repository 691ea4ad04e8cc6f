#include "sim/dispatch/rank_planner.h"

#include <string>

#include "sim/dispatch/kernel_ops.h"
#include "sim/dispatch/kernel_support.h"

namespace flashgate::sim {
namespace {

const Symbol kKernel("launches");
const Symbol kDecides("settles on");
const Symbol kRaises("raises");
const Symbol kUnsupported("not supported");
const Symbol kNotSupported("not_supported");
const Symbol kTypeError("TypeError");

Symbol arity_message(const Launch& launch, int takes)
{
  return Symbol(std::string(launch.kernel.text()) + "() takes " + std::to_string(takes) + " positional arguments but " +
                std::to_string(launch.arity) + " were given");
}

}  // namespace

RankPlanner::RankPlanner(const Request& request, RankPlan& plan, Tracer tracer)
    : request_(request), plan_(plan), tracer_(tracer)
{
}

const VersionSettings& RankPlanner::flags() const
{
  return tracer_.phase() >= Phase::second_forward ? request_.second_flags : request_.flags;
}

bool RankPlanner::raise(Symbol kind, Symbol message)
{
  tracer_.record(kRaises, kind);
  plan_.fail(tracer_.phase(), kind, message);
  return false;
}

bool RankPlanner::not_supported(Symbol reason)
{
  tracer_.record(kUnsupported, reason);
  plan_.fail(tracer_.phase(), kNotSupported, reason);
  return false;
}

bool RankPlanner::run_forward(int version)
{
  plan_.forward = forward_launch(request_, version, flags());
  tracer_.record(kKernel, version_name(version));
  const Symbol refusal = kernel_refusal(version, request_);
  if (!refusal.empty()) return not_supported(refusal);
  plan_.lse_version = version;
  return true;
}

void RankPlanner::decide_second_forward(int version)
{
  plan_.second_forward = forward_launch(request_, version, flags());
  tracer_.record(kDecides, version_name(version));
}

bool RankPlanner::run_backward(const Launch& launch)
{
  plan_.backward = launch;
  tracer_.record(kKernel, version_name(launch.version));
  const int takes = backward_arity(launch.version, request_.path != Path::rr_flash, request_.signature);
  if (launch.arity == takes) return true;
  return raise(kTypeError, arity_message(launch, takes));
}

void RankPlanner::gather_kv()
{
  if (request_.cp_size == 1) return;
  plan_.collectives.enter(Collective::all_gather_k);
  plan_.collectives.enter(Collective::all_gather_v);
}

void RankPlanner::scatter_gradients()
{
  if (request_.cp_size == 1) return;
  plan_.collectives.enter(Collective::alltoall_dk);
  plan_.collectives.enter(Collective::alltoall_dv);
}

}  // namespace flashgate::sim
