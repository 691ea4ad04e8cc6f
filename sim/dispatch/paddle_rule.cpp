#include "sim/dispatch/paddle_rule.h"

#include <string>

#include "sim/dispatch/kernel_ops.h"

namespace flashgate::sim {
namespace {

const Symbol kDeterministic("Paddle: deterministic");
const Symbol kOnXpu("Paddle: on xpu");
const Symbol kDeterministicV3Above128("Paddle: flag 3, deterministic, head_dim > 128");
const Symbol kFlag("Paddle: flag");
const Symbol kRefusal("Paddle: refuses");
const Symbol kNothing("nothing");

const Symbol kAssertionError("AssertionError");
const Symbol kValueError("ValueError");
const Symbol kScale("flashmask_attention v2 does not support softmax_scale");
const Symbol kDropout("flashmask_attention v3 does not support dropout");
const Symbol kTraining("flashmask_attention v3 does not support training=False");

PaddleRule resolve(PaddleRule rule, Signature signature)
{
  if (rule != PaddleRule::by_signature) return rule;
  return signature == Signature::legacy ? PaddleRule::legacy : PaddleRule::block_mask;
}

int version_of(PaddleRule rule, const Request& request, const VersionSettings& flags, Tracer& tracer)
{
  if (rule == PaddleRule::legacy) {
    if (tracer.ask(kDeterministic, flags.deterministic)) return 2;
  } else {
    if (tracer.ask(kOnXpu, request.device == Device::xpu)) return 2;
    const int asked = rule == PaddleRule::accepting && flags.version != 2 ? 3 : flags.version;
    const bool falls_back = asked == 3 && flags.deterministic && request.head_dim.qk > 128;
    if (tracer.ask(kDeterministicV3Above128, falls_back)) return 2;
    if (rule == PaddleRule::accepting) return asked;
  }
  tracer.record(kFlag, version_name(flags.version));
  return flags.version;
}

Symbol invalid_version_message(int version)
{
  static const auto message = [](int n) { return Symbol("Invalid flash attention version: " + std::to_string(n)); };
  static const Symbol zero = message(0), four = message(4), five = message(5);
  if (version == 0) return zero;
  if (version == 4) return four;
  if (version == 5) return five;
  return message(version);
}

/// The first of Paddle's assertions that the chosen version's branch trips over; empty if none does.
Symbol assertion(int version, const Request& request)
{
  if (version == 2 && request.scale_set) return kScale;
  if (version == 3 && request.dropout) return kDropout;
  if (version == 3 && !request.training) return kTraining;
  return {};
}

}  // namespace

PaddleChoice paddle_choose(PaddleRule rule, const Request& request, const VersionSettings& flags, Tracer& tracer)
{
  const PaddleRule resolved = resolve(rule, request.signature);
  const int version = version_of(resolved, request, flags, tracer);
  if (version != 2 && version != 3) {
    tracer.record(kRefusal, kValueError);
    return {0, kValueError, invalid_version_message(version)};
  }
  const Symbol tripped = resolved == PaddleRule::accepting ? Symbol() : assertion(version, request);
  tracer.record(kRefusal, tripped.empty() ? kNothing : kAssertionError);
  if (!tripped.empty()) return {0, kAssertionError, tripped};
  return {version, {}, {}};
}

}  // namespace flashgate::sim
