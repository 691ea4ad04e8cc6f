#include "gpu/external/external_kernels.h"

#include <cstring>

#include <doctest/doctest.h>

#include "reference/error.h"

namespace flashgate::gpu::external {
namespace {

using reference::Causal;
using reference::Dtype;

constexpr const char* kPtx = R"(
.version 8.0
.target sm_80
.address_size 64
.visible .entry attention_bf16(
  .param .u64 q,
  .param .u32 rows,
  .param .f32 scale,
  .param .u64 stride,
  .param .u16 heads
)
{
  ret;
}
.visible .entry takes_struct_bf16(.param .align 8 .b8 all[16])
{
  ret;
}
.func helper()
{
  ret;
}
)";

MapStep step(const std::string& entry, const std::vector<std::string>& arguments)
{
  MapStep made;
  made.place = "map.toml:9";
  made.entry = entry;
  made.grid = {Expression("ceil_div(seqlen_q, 64)"), Expression("num_heads"), Expression("batch")};
  made.block = {Expression("128"), Expression("1"), Expression("1")};
  made.shared_bytes = Expression("4 * seqlen_k");
  for (const std::string& argument : arguments)
    made.arguments.push_back(parse_argument(argument));
  return made;
}

const std::vector<std::string> kArguments{"q", "seqlen_q", "softmax_scale", "q.row_stride", "num_heads"};

KernelMap map_with(const MapStep& forward)
{
  KernelMap map;
  map.ptx = kPtx;
  map.ptx_name = "user.ptx";
  map.support = {{Dtype::bf16}, {{64, 64}}, {Causal::none, Causal::top_left}, {0, 1}};
  map.forward.steps = {forward};
  return map;
}

reference::Problem problem()
{
  reference::Problem p;
  p.batch = 2;
  p.num_heads = 3;
  p.num_heads_kv = 3;
  p.seqlen_q = 65;
  p.seqlen_k = 32;
  p.softmax_scale = 0.125;
  return p;
}

template <typename T>
T at(const std::vector<std::byte>& bytes, std::size_t offset)
{
  T value;
  REQUIRE(offset + sizeof(T) <= bytes.size());
  std::memcpy(&value, &bytes[offset], sizeof(T));
  return value;
}

TEST_CASE("arguments lie as the entry's parameters do, in their types")
{
  const ExternalKernels kernels(map_with(step("attention_{dtype}", kArguments)));
  kernels::LaunchPlan plan = kernels.plan_forward(problem(), {});
  REQUIRE(plan.steps.size() == 1);
  const kernels::LaunchStep& launch = plan.steps[0];
  CHECK(launch.entry == "attention_bf16");
  CHECK(launch.grid.x == 2);
  CHECK(launch.grid.y == 3);
  CHECK(launch.grid.z == 2);
  CHECK(launch.block.x == 128);
  CHECK(launch.shared_bytes == 128);
  plan.parameters.q.address = 0x1234567890;
  plan.parameters.q.row_stride = -72;
  const std::vector<std::byte> bytes = launch.arguments(plan.parameters);
  CHECK(bytes.size() == 26);
  CHECK(at<std::uint64_t>(bytes, 0) == 0x1234567890);
  CHECK(at<std::int32_t>(bytes, 8) == 65);
  CHECK(at<float>(bytes, 12) == 0.125F);
  CHECK(at<std::int64_t>(bytes, 16) == -72);
  CHECK(at<std::uint16_t>(bytes, 24) == 3);
  CHECK(takes_strides(kernels.map()));
}

TEST_CASE("a map that does not fit its PTX is refused with the places of both")
{
  const struct
  {
    const char* entry;
    std::vector<std::string> arguments;
    const char* message;
  } rows[] = {
      {"attention_{head_dim}", kArguments, "map.toml:9: no entry 'attention_64' in user.ptx"},
      {"helper", {}, "map.toml:9: no entry 'helper' in user.ptx"},
      {"attention_bf16", {"q"}, "map.toml:9: 1 arguments, but entry 'attention_bf16' takes 5 (user.ptx:5)"},
      {"attention_bf16",
       {"seqlen_q", "q", "softmax_scale", "q.row_stride", "num_heads"},
       "map.toml:9: argument 2 is an address of 8 bytes, but parameter 2 of entry 'attention_bf16' is .u32, 4 bytes "
       "(user.ptx:7)"},
      {"attention_bf16",
       {"q", "softmax_scale", "softmax_scale", "q.row_stride", "num_heads"},
       "argument 2 is f32 or f64, but parameter 2"},
      {"attention_bf16", {"q", "seqlen_q", "seqlen_q", "q.row_stride", "num_heads"}, "argument 3 is an integer, but"},
      {"takes_struct_bf16", {"q"}, "but parameter 1 of entry 'takes_struct_bf16' is .b8, 16 bytes (user.ptx:15)"},
  };
  for (const auto& row : rows) {
    CAPTURE(row.message);
    CHECK_THROWS_WITH_AS(ExternalKernels(map_with(step(row.entry, row.arguments))), doctest::Contains(row.message),
                         Error);
  }
  KernelMap map = map_with(step("attention_bf16", kArguments));
  map.ptx = ".version 8.0\n.target sm_80\n.entry x(";
  CHECK_THROWS_WITH_AS(ExternalKernels{map}, doctest::Contains("user.ptx:3: expected"), Error);
}

TEST_CASE("what the map does not support is refused with the reason")
{
  const KernelMap map = map_with(step("attention_bf16", kArguments));
  const auto refuses = [&](const auto& change, bool backward = false) {
    reference::Problem p = problem();
    kernels::LaunchOptions options;
    KernelMap changed = map;
    change(p, options, changed);
    return refusal(changed, p, options, backward);
  };
  using P = reference::Problem;
  using O = kernels::LaunchOptions;
  using M = KernelMap;
  CHECK(refuses([](P&, O&, M&) {}).empty());
  CHECK(refuses([](P& p, O&, M&) { p.dtype = Dtype::fp16; }) == "the map has no fp16");
  CHECK(refuses([](P& p, O&, M&) { p.head_dim_v = 128; }) == "the map has no head dims 64/128");
  CHECK(refuses([](P& p, O&, M&) { p.causal = Causal::bottom_right; }).find("bottom_right") != std::string::npos);
  CHECK(refuses([](P&, O& o, M&) { o.bounds_per_column = 4; }) == "the map has no masks of 4 columns");
  CHECK(refuses([](P&, O&, M& m) { m.support.seqlen_multiple = 64; }).find("multiples of 64") != std::string::npos);
  CHECK(refuses([](P& p, O&, M& m) {
          p.num_heads_kv = 1;
          m.support.grouped_heads = false;
        }) == "the map has no grouped heads, 3 on 1");
  CHECK(refuses([](P&, O&, M&) {}, true) == "the map has no backward");
  const auto only_atomic = [](P&, O&, M& m) {
    m.backward = m.forward;
    m.support.deterministic = false;
  };
  CHECK(refuses(only_atomic, true) == "the map has no deterministic backward");
}

TEST_CASE("a value that can't be passed names its argument")
{
  reference::Problem p = problem();
  p.num_heads = p.num_heads_kv = 70'000;
  const ExternalKernels kernels(map_with(step("attention_bf16", kArguments)));
  const kernels::LaunchPlan plan = kernels.plan_forward(p, {});
  CHECK_THROWS_WITH_AS(plan.steps[0].arguments(plan.parameters),
                       "map.toml:9: argument 5 is 70000 here, too large for .u16", Error);
  MapStep empty_grid = step("attention_bf16", kArguments);
  empty_grid.grid[0] = Expression("seqlen_q / 100");
  CHECK_THROWS_WITH_AS(ExternalKernels(map_with(empty_grid)).plan_forward(problem(), {}),
                       "map.toml:9: 'seqlen_q / 100' is 0 here, expected 1 or more", Error);
}

}  // namespace
}  // namespace flashgate::gpu::external
