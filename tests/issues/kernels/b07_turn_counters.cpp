// Dao-AILab/flash-attention#1839, #1678: the turn counters of a deterministic backward with grouped heads came from an
// allocation that nobody had cleared.
#include <cstddef>
#include <fstream>
#include <iterator>
#include <optional>

#include <doctest/doctest.h>

#include "gpu/attention/device_tensor.h"
#include "tests/issues/kernels/kernel_cell.h"

namespace flashgate::gpu::kernels {
namespace {

using attention::DeviceBuffer;

constexpr int kThreads = 32;
constexpr int kKeyBlocks = 2;

struct Turns
{
  bool completed = false;
  bool uninitialised = false;
  bool hangs = false;
  std::vector<std::byte> dv;
};

/// One launch, the counters filled with `fill`, or as the allocator left them.
Turns launch(int batch, int num_heads, int num_heads_kv, std::optional<std::byte> fill)
{
  ExecutionOptions options;
  options.resident_blocks = 8;
  options.spin_budget = 100'000;
  const auto device = make_emulated_device(options);
  std::ifstream in(FLASHGATE_FAULTS "/b07_turn_counters.ptx");
  const auto module = device->load({std::istreambuf_iterator<char>(in), {}}, "b07");

  const std::size_t counters = static_cast<std::size_t>(batch * num_heads_kv * kKeyBlocks);
  std::vector<float> parts(static_cast<std::size_t>(batch * num_heads * kKeyBlocks * kThreads));
  for (std::size_t i = 0; i < parts.size(); ++i)
    parts[i] = 1.0F / static_cast<float>(i + 1);
  const DeviceBuffer part(*device, "part", parts.size() * sizeof(float));
  const DeviceBuffer dv(*device, "dV", counters * kThreads * sizeof(float));
  const DeviceBuffer turns(*device, "turn counters", counters * sizeof(int));
  device->write(part.address(), std::as_bytes(std::span(parts)));
  if (fill) device->fill(turns.address(), *fill, counters * sizeof(int));

  LaunchConfig config;
  config.grid = {kKeyBlocks, static_cast<std::uint32_t>(num_heads), static_cast<std::uint32_t>(batch)};
  config.block = {kThreads, 1, 1};
  config.parameters = Arguments().add(part.address()).add(dv.address()).add(turns.address()).add(num_heads_kv).bytes();
  const LaunchResult result = device->launch(module->kernel("add_in_turn"), config);
  Turns seen{result.completed, false, false, std::vector<std::byte>(counters * kThreads * sizeof(float))};
  device->read(dv.address(), seen.dv);
  for (const Finding& finding : result.findings) {
    seen.uninitialised = seen.uninitialised || finding.check == Check::uninit_global;
    seen.hangs = seen.hangs || finding.check == Check::hang;
  }
  return seen;
}

constexpr std::byte kZeros{0x00};
constexpr std::byte kOnes{0xFF};

TEST_CASE("B07: counters that were cleared let every head have its turn, for any batch")
{
  for (int batch : {1, 2}) {
    const Turns cleared = launch(batch, 2, 1, kZeros);
    CHECK(cleared.completed);
    CHECK(!cleared.uninitialised);
  }
}

TEST_CASE("B07: counters that nobody wrote are reported, and a poisoned allocation hangs")
{
  CHECK(launch(1, 2, 1, std::nullopt).uninitialised);
  const Turns poisoned = launch(1, 2, 1, kOnes);
  CHECK(!poisoned.completed);
  CHECK(poisoned.hangs);
}

TEST_CASE("B07: without a group nobody reads the counters, so nothing depends on them")
{
  const Turns zeros = launch(2, 2, 2, kZeros);
  for (const Turns& other : {launch(2, 2, 2, kOnes), launch(2, 2, 2, std::nullopt)}) {
    CHECK(other.completed);
    CHECK(!other.uninitialised);
    CHECK(other.dv.size() == zeros.dv.size());
    CHECK(std::equal(other.dv.begin(), other.dv.end(), zeros.dv.begin()));
  }
}

TEST_CASE("B07: our backward with grouped heads reads nothing of its workspace that it has not written")
{
  for (bool deterministic : {true, false})
    for (int batch : {1, 2}) {
      KernelCase c{reference::Family::full, {false, 0}, 65, 128, 64, 64, 2, 1};
      c.batch = batch;
      const JudgedCase judged = judge_case(c);
      LaunchOptions options;
      options.deterministic = deterministic;
      CHECK(is_right(judged, run_cell(judged, Family::v2, {}, options)));
    }
}

}  // namespace
}  // namespace flashgate::gpu::kernels
