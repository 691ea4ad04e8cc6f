#include "sim/dispatch/kernel_ops.h"

#include <algorithm>
#include <array>

namespace flashgate::sim {
namespace {

/// Arguments under {block_mask, legacy, group}, in the order of enum Signature.
using ArityBySignature = std::array<int, 3>;

struct Operator
{
  std::string_view name;
  ArityBySignature arity;
};

struct Generation
{
  Operator masked_forward, masked_backward, plain_forward, plain_backward;
  std::string_view lse;
};

constexpr std::array<Generation, 3> kGenerations{{
    {{"flashmask_attention", {10, 10, 10}},
     {"flashmask_attention_grad", {10, 10, 10}},
     {"flash_attn", {10, 10, 10}},
     {"flash_attn_grad", {10, 10, 10}},
     "[b, h, round_up(sq, 128)]"},
    {{"flashmask_attention_v2", {7, 6, 10}},
     {"flashmask_attention_v2_grad", {10, 9, 12}},
     {"flash_attn_v3", {16, 16, 16}},
     {"flash_attn_v3_grad", {12, 12, 12}},
     "[b, h, sq]"},
    {{"_flash_attn_fwd", {3, 3, 3}},
     {"_flash_attn_bwd", {7, 7, 7}},
     {"_flash_attn_fwd", {3, 3, 3}},
     {"_flash_attn_bwd", {7, 7, 7}},
     "[b, h, sq]"},
}};

const Generation& generation(int version) { return kGenerations[version - 2]; }

const Operator& forward_operator(int version, bool masked)
{
  return masked ? generation(version).masked_forward : generation(version).plain_forward;
}

const Operator& backward_operator(int version, bool masked)
{
  return masked ? generation(version).masked_backward : generation(version).plain_backward;
}

/// Interns every operator once: [generation][masked][backward].
Symbol kernel_symbol(int version, bool masked, bool backward)
{
  static const auto symbols = [] {
    std::array<std::array<std::array<Symbol, 2>, 2>, 3> all;
    for (int v = 2; v <= 4; ++v)
      for (const bool m : {false, true}) {
        all[v - 2][m][0] = Symbol(forward_operator(v, m).name);
        all[v - 2][m][1] = Symbol(backward_operator(v, m).name);
      }
    return all;
  }();
  return symbols[version - 2][masked][backward];
}

bool masked(const Request& request) { return request.path != Path::rr_flash; }

Launch launch(const Request& request, int version, const VersionSettings& flags)
{
  Launch result;
  result.version = version;
  result.deterministic = flags.deterministic;
  result.causal = request.causal;
  result.dropout = request.dropout && version == 2;
  result.scale = version == 2 ? ScaleArgument::none : ScaleArgument::floating;
  return result;
}

}  // namespace

Symbol forward_kernel(int version, bool masked) { return kernel_symbol(version, masked, false); }
Symbol backward_kernel(int version, bool masked) { return kernel_symbol(version, masked, true); }

int forward_arity(int version, bool masked, Signature signature)
{
  return forward_operator(version, masked).arity[static_cast<std::size_t>(signature)];
}

int backward_arity(int version, bool masked, Signature signature)
{
  return backward_operator(version, masked).arity[static_cast<std::size_t>(signature)];
}

std::string_view lse_layout(int version) { return generation(version).lse; }

Symbol version_name(int version)
{
  static const std::array<Symbol, 10> names{Symbol("v0"), Symbol("v1"), Symbol("v2"), Symbol("v3"), Symbol("v4"),
                                            Symbol("v5"), Symbol("v6"), Symbol("v7"), Symbol("v8"), Symbol("v9")};
  return names[std::clamp(version, 0, 9)];
}

Launch forward_launch(const Request& request, int version, const VersionSettings& flags)
{
  Launch result = launch(request, version, flags);
  result.kernel = forward_kernel(version, masked(request));
  result.arity = forward_arity(version, masked(request), request.signature);
  return result;
}

Launch backward_launch(const Request& request, int version, const VersionSettings& flags)
{
  Launch result = launch(request, version, flags);
  result.kernel = backward_kernel(version, masked(request));
  result.arity = backward_arity(version, masked(request), request.signature);
  return result;
}

}  // namespace flashgate::sim
