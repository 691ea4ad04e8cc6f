#include "app/backends/kernel_map_file.h"

#include <fstream>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "reference/error.h"
#include "tests/temporary_folder.h"

namespace flashgate::app {
namespace {

const std::string kMap = R"(ptx = "user.ptx"
kernel = "v2"
layout = "bshd"
lse = "version_2"
[supports]
dtypes = ["bf16", "fp16"]
head_dims = [64, "192/128"]
causal = ["none", "top_left"]
mask_columns = ["none", "2"]
seqlen_multiple = 64
grouped_heads = false
deterministic = ["on"]
[workspace]
backward = "4 * seqlen_q"
[[forward]]
entry = "forward_{dtype}"
grid = ["seqlen_q", "num_heads", "batch"]
block = [128]
shared = "2 * seqlen_k"
arguments = ["q", "softmax_scale", "seqlen_q"]
[[backward]]
entry = "backward"
grid = ["batch"]
block = ["32", "4"]
arguments = ["workspace"]
)";

/// Writes the map beside some PTX and returns its path.
std::string written(const tests::TemporaryFolder& folder, const std::string& map)
{
  std::ofstream(folder.path() / "user.ptx") << ".version 8.0\n.target sm_80\n";
  const std::string path = (folder.path() / "map.toml").string();
  std::ofstream(path, std::ios::binary) << map;
  return path;
}

TEST_CASE("a map is read as its page says")
{
  const tests::TemporaryFolder folder;
  const gpu::external::KernelMap map = read_kernel_map(written(folder, kMap));
  CHECK(map.generation == 2);
  CHECK(map.rows_before_heads);
  CHECK(map.lse_layout == gpu::kernels::LseLayout::version_2);
  CHECK(map.support.dtypes.size() == 2);
  CHECK(map.support.head_dims == std::vector<std::pair<int, int>>{{64, 64}, {192, 128}});
  CHECK(map.support.causal == std::vector{reference::Causal::none, reference::Causal::top_left});
  CHECK(map.support.mask_columns == std::vector{0, 2});
  CHECK(map.support.seqlen_multiple == 64);
  CHECK(!map.support.grouped_heads);
  CHECK(map.support.deterministic);
  CHECK(!map.support.nondeterministic);
  REQUIRE(map.forward.steps.size() == 1);
  CHECK(map.forward.steps[0].place == folder.path().string() + "/map.toml:15");
  CHECK(map.forward.steps[0].block[0].text() == "128");
  CHECK(map.forward.steps[0].arguments.size() == 3);
  CHECK(map.forward.workspace_bytes.text() == "0");
  CHECK(map.backward.workspace_bytes.text() == "4 * seqlen_q");
  CHECK(map.backward.steps.size() == 1);
}

TEST_CASE("whatever a map may not say is one line with its place")
{
  const struct
  {
    std::string from, to;
    const char* message;
  } rows[] = {
      {"ptx = \"user.ptx\"\n", "", "map.toml:1: no key 'ptx', expected one"},
      {"user.ptx", "none.ptx", "none.ptx: nothing that can be read, expected PTX"},
      {"kernel = \"v2\"", "kernel = \"v9\"", "map.toml:2: no kernel 'v9', expected one of"},
      {"kernel = \"v2\"", "kernel = 2", "map.toml:2: found integer, expected a text in quotes"},
      {"\"bshd\"", "\"hbsd\"", "map.toml:3: no layout 'hbsd', expected one of bhsd, bshd"},
      {"\"version_2\"", "\"log2\"", "map.toml:4: no layout of LSE 'log2'"},
      {"lse = ", "sle = ", "map.toml:4: no key 'sle', expected one of"},
      {"\"fp16\"", "\"fp8\"", "map.toml:6: no dtype 'fp8', expected one of bf16, fp16"},
      {"head_dims = [64,", "head_dims = [0,", "map.toml:7: expected a number from 1 on"},
      {"192/128", "192/99", "map.toml:7: expected a head dim"},
      {"top_left", "left", "map.toml:8: no kind of causal call 'left'"},
      {"[\"none\", \"2\"]", "[]", "map.toml:9: found an empty list"},
      {"seqlen_multiple = 64", "seqlen_multiple = -1", "map.toml:10: expected a number from 1 on"},
      {"= false", "= \"no\"", "map.toml:11: expected true or false"},
      {"[\"on\"]", "[\"maybe\"]", "map.toml:12: no deterministic 'maybe'"},
      {"4 * seqlen_q", "4 * seqlen", "map.toml:14: '4 * seqlen': expected a number, "},
      {"entry = \"forward_{dtype}\"\n", "", "map.toml:15: no key 'entry', expected one"},
      {"\"num_heads\", \"batch\"]", "\"1\", \"1\", \"1\"]", "map.toml:17: expected a list of at most three extents"},
      {"block = [128]", "block = [1.5]", "map.toml:18: found floating-point, expected a text in quotes"},
      {"\"q\", \"softmax_scale\"", "\"query\"", "map.toml:20: 'query': expected a number"},
      {"[[backward]]", "[backward]", "map.toml:21: found table, expected a list"},
      {"[[forward]]", "[[forwards]]", "no key 'forwards', expected one of"},
  };
  for (const auto& row : rows) {
    CAPTURE(row.from);
    CAPTURE(row.to);
    const tests::TemporaryFolder folder;
    std::string map = kMap;
    REQUIRE(map.find(row.from) != std::string::npos);
    map.replace(map.find(row.from), row.from.size(), row.to);
    CHECK_THROWS_WITH_AS(read_kernel_map(written(folder, map)), doctest::Contains(row.message), Error);
  }
}

}  // namespace
}  // namespace flashgate::app
