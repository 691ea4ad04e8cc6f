#include "sim/dispatch/kernel_support.h"

#include <doctest/doctest.h>

#include "sim/dispatch/head_dim_tile.h"

namespace flashgate::sim {
namespace {

TEST_CASE("what each kernel refuses at launch, and why")
{
  struct Row
  {
    int version;
    Device device;
    HeadDim head_dim;
    const char* refusal;
  };
  const Row rows[] = {
      {2, Device::sm80, {256, 256}, ""},
      {2, Device::xpu, {64, 64}, ""},
      {2, Device::sm90, {512, 512}, "v2 takes head_dim up to 256"},
      {2, Device::sm90, {192, 128}, "v2 needs head_dim_v == head_dim"},
      {3, Device::sm90, {256, 256}, ""},
      {3, Device::sm100, {64, 64}, "v3 runs on sm90 only"},
      {4, Device::sm100, {192, 128}, ""},
      {4, Device::sm100, {576, 512}, ""},
      {4, Device::sm100, {160, 128}, "v4 has no kernel for this pair of head dims"},
      {4, Device::sm100, {192, 64}, "v4 has no kernel for this pair of head dims"},
      {4, Device::sm80, {64, 64}, "v4 runs on sm90 and sm100 only"},
  };
  for (const Row& row : rows) {
    Request request;
    request.device = row.device;
    request.head_dim = row.head_dim;
    CAPTURE(row.version);
    CAPTURE(row.head_dim.qk);
    CHECK(kernel_refusal(row.version, request).text() == row.refusal);
  }
}

TEST_CASE("a fallback goes down, never up")
{
  Request request;  // sm90
  request.scale_set = true;
  CHECK(some_kernel_supports(3, request, request.flags));
  CHECK_FALSE(some_kernel_supports(2, request, request.flags));  // v3 could, but 2 was asked for
}

TEST_CASE("the silent limits: v3 deterministic, dropout, training")
{
  Request request;
  request.head_dim = {192, 192};
  CHECK(kernel_supports(3, request, {3, false}));
  CHECK_FALSE(kernel_supports(3, request, {3, true}));
  request.head_dim = {128, 128};
  CHECK(kernel_supports(3, request, {3, true}));
  request.signature = Signature::legacy;
  CHECK_FALSE(kernel_supports(3, request, {3, true}));
  request.dropout = true;
  CHECK_FALSE(kernel_supports(3, request, {3, false}));
  CHECK(kernel_supports(2, request, {3, false}));
}

}  // namespace
}  // namespace flashgate::sim
