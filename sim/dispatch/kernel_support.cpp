#include "sim/dispatch/kernel_support.h"

#include <array>

namespace flashgate::sim {
namespace {

bool v4_takes_head_dim(HeadDim d)
{
  const bool small = d.qk <= 128 && d.v <= 128;
  const bool listed = (d.qk == 192 && d.v == 128) || (d.qk == 256 && d.v == 256);
  const bool large = (d.qk == 512 || d.qk == 576) && d.v == 512;
  return small || listed || large;
}

/// One limit of one generation. `applies` is true where the limit is in the way.
struct Limit
{
  int version;
  Symbol refusal;
  bool (*applies)(const Request&);
};

bool needs_one_head_dim(const Request& r) { return r.head_dim.qk != r.head_dim.v; }
bool above_256(const Request& r) { return r.head_dim.qk > 256; }

const std::array<Limit, 10>& loud_limits()
{
  static const std::array<Limit, 10> limits{{
      {2, Symbol("v2 needs head_dim_v == head_dim"), needs_one_head_dim},
      {2, Symbol("v2 takes head_dim up to 256"), above_256},
      {2, Symbol("v2 takes no softmax_scale"), [](const Request& r) { return r.scale_set; }},
      {3, Symbol("v3 runs on sm90 only"), [](const Request& r) { return r.device != Device::sm90; }},
      {3, Symbol("v3 needs head_dim_v == head_dim"), needs_one_head_dim},
      {3, Symbol("v3 takes head_dim up to 256"), above_256},
      {4, Symbol("v4 runs on sm90 and sm100 only"),
       [](const Request& r) { return r.device != Device::sm90 && r.device != Device::sm100; }},
      {4, Symbol("v4 has no kernel for this pair of head dims"),
       [](const Request& r) { return !v4_takes_head_dim(r.head_dim); }},
      {4, Symbol("v4 is not deterministic above head_dim 256"),
       [](const Request& r) { return r.head_dim.qk > 256 && r.flags.deterministic; }},
      {4, Symbol("v4 takes no mask of 4 columns"), [](const Request& r) { return r.mask_columns == 4; }},
  }};
  return limits;
}

}  // namespace

Symbol kernel_refusal(int version, const Request& request)
{
  for (const Limit& limit : loud_limits())
    if (limit.version == version && limit.applies(request)) return limit.refusal;
  return {};
}

bool v3_deterministic_unsupported(const Request& request)
{
  return request.signature == Signature::legacy || request.head_dim.qk > 128;
}

bool kernel_supports(int version, const Request& request, const VersionSettings& flags)
{
  if (version == 4 && !v4_available_in_group(request)) return false;
  if (version == 3 && flags.deterministic && v3_deterministic_unsupported(request)) return false;
  if (version == 3 && !request.training) return false;
  if (request.dropout && version != 2) return false;
  return kernel_refusal(version, request).empty();
}

bool some_kernel_supports(int asked, const Request& request, const VersionSettings& flags)
{
  for (int version = asked; version >= 2; --version)
    if (kernel_supports(version, request, flags)) return true;
  return false;
}

}  // namespace flashgate::sim
