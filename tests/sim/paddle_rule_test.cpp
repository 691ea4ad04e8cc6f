#include "sim/dispatch/paddle_rule.h"

#include <string>

#include <doctest/doctest.h>

namespace flashgate::sim {
namespace {

struct Row
{
  PaddleRule rule;
  int flag;
  bool deterministic;
  int head_dim;
  Device device;
  int version;        // 0: raises
  const char* error;  // "" if it does not
};

TEST_CASE("Paddle's rule, era by era")
{
  const PaddleRule legacy = PaddleRule::legacy, block_mask = PaddleRule::block_mask, group = PaddleRule::group;
  const PaddleRule accepting = PaddleRule::accepting;
  const Row rows[] = {
      {legacy, 3, false, 192, Device::sm90, 3, ""},         {legacy, 3, true, 64, Device::sm90, 2, ""},
      {legacy, 4, true, 64, Device::sm90, 2, ""},           {legacy, 4, false, 64, Device::sm90, 0, "ValueError"},
      {legacy, 3, false, 64, Device::xpu, 3, ""},           {block_mask, 3, true, 128, Device::sm90, 3, ""},
      {block_mask, 3, true, 136, Device::sm90, 2, ""},      {block_mask, 4, true, 136, Device::sm90, 0, "ValueError"},
      {block_mask, 5, false, 64, Device::xpu, 2, ""},       {group, 3, true, 136, Device::sm90, 2, ""},
      {group, 0, false, 64, Device::sm90, 0, "ValueError"}, {accepting, 4, false, 64, Device::sm90, 3, ""},
      {accepting, 5, true, 192, Device::sm90, 2, ""},
  };
  for (const Row& row : rows) {
    Request request;
    request.flags = {row.flag, row.deterministic};
    request.head_dim = {row.head_dim, row.head_dim};
    request.device = row.device;
    Tracer tracer(nullptr);
    const PaddleChoice choice = paddle_choose(row.rule, request, request.flags, tracer);
    CAPTURE(row.flag);
    CAPTURE(row.head_dim);
    CHECK(choice.version == row.version);
    CHECK(choice.error_kind.text() == row.error);
  }
}

TEST_CASE("each version's branch refuses what it can't pass on")
{
  Request request;
  Tracer tracer(nullptr);
  request.dropout = true;
  CHECK(paddle_choose(PaddleRule::block_mask, request, {3, false}, tracer).error_kind.text() == "AssertionError");
  CHECK(paddle_choose(PaddleRule::block_mask, request, {2, false}, tracer).version == 2);
  request.dropout = false;
  request.training = false;
  CHECK(paddle_choose(PaddleRule::block_mask, request, {3, false}, tracer).error_kind.text() == "AssertionError");
  request.training = true;
  request.scale_set = true;
  CHECK(paddle_choose(PaddleRule::block_mask, request, {2, false}, tracer).error_kind.text() == "AssertionError");
  CHECK(paddle_choose(PaddleRule::block_mask, request, {3, false}, tracer).version == 3);
}

TEST_CASE("the signature says which rule is installed")
{
  Request request;
  Tracer tracer(nullptr);
  request.signature = Signature::legacy;
  CHECK(paddle_choose(PaddleRule::by_signature, request, {3, true}, tracer).version == 2);
  request.signature = Signature::group;
  CHECK(paddle_choose(PaddleRule::by_signature, request, {3, true}, tracer).version == 3);
}

}  // namespace
}  // namespace flashgate::sim
