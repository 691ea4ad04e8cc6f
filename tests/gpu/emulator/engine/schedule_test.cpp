#include <set>
#include <thread>

#include <doctest/doctest.h>

#include "tests/gpu/emulator/engine/engine_rig.h"

namespace flashgate::gpu {
namespace {

/// Every thread of the grid waits until all have come: only possible if all blocks are resident.
EngineRig grid_barrier()
{
  EngineRig kernel =
      rig("bar.sync 0; setp.ne.u32 %p1, %r0, 0; @%p1 bra W; membar.gl; atom.global.add.u32 %r3, [arrived], 1;\n"
          "S: ld.acquire.gpu.global.u32 %r3, [arrived]; setp.lt.u32 %p2, %r3, 6; @%p2 bra S;\n"
          "W: bar.sync 0; ld.relaxed.gpu.global.u32 %r2, [arrived];",
          64);
  kernel.grid = {6, 1, 1};
  kernel.declarations = ".global .align 4 .u32 arrived;\n";
  kernel.options.spin_budget = 200'000;
  return kernel;
}

/// Each block stores which one it was.
EngineRig block_order()
{
  EngineRig kernel =
      rig("mov.u32 %r3, %ctaid.x; setp.ne.u32 %p1, %r0, 0; @%p1 ret; atom.global.add.u32 %r2, [next], 1;", 32);
  kernel.grid = {8, 1, 1};
  kernel.declarations = ".global .align 4 .u32 next;\n";
  return kernel;
}

std::vector<std::uint32_t> ranks(const Outcome& outcome)
{
  std::vector<std::uint32_t> order;
  for (std::size_t block = 0; block < 8; ++block)
    order.push_back(outcome.out[block * 32]);
  return order;
}

}  // namespace

TEST_CASE("blocks run by number with seed 0, and in an order of its own with each other seed")
{
  EngineRig kernel = block_order();
  CHECK(ranks(kernel.run()) == std::vector<std::uint32_t>{0, 1, 2, 3, 4, 5, 6, 7});
  std::set<std::vector<std::uint32_t>> orders;
  for (kernel.options.seed = 1; kernel.options.seed <= 6; ++kernel.options.seed) {
    const auto order = ranks(kernel.run());
    CHECK(order == ranks(kernel.run()));
    orders.insert(order);
  }
  CHECK(orders.size() == 6);
}

TEST_CASE("a cooperative launch has all its blocks resident")
{
  EngineRig kernel = grid_barrier();
  kernel.cooperative = true;
  for (const std::uint64_t seed : {0, 1, 2}) {
    kernel.options.seed = seed;
    const Outcome outcome = kernel.run();
    CHECK(outcome.result.completed);
    CHECK(outcome.checks() == "");
    CHECK(outcome.out == std::vector<std::uint32_t>(6 * 64, 6));
  }
}

TEST_CASE("without enough resident blocks a barrier of the grid is a hang")
{
  EngineRig kernel = grid_barrier();
  for (const std::uint32_t resident : {1U, 5U}) {
    kernel.options.resident_blocks = resident;
    const Outcome outcome = kernel.run();
    CHECK_FALSE(outcome.result.completed);
    CHECK(outcome.checks() == "hang");
  }
  kernel.options.resident_blocks = 6;
  CHECK(kernel.run().result.completed);
}

TEST_CASE("the same options give the same run, on several threads at once")
{
  EngineRig kernel = grid_barrier();
  kernel.cooperative = true;
  kernel.options.seed = 3;
  std::vector<Outcome> outcomes(4);
  std::vector<std::thread> threads;
  threads.reserve(outcomes.size());
  for (Outcome& outcome : outcomes)
    threads.emplace_back([&] { outcome = kernel.run(); });
  for (std::thread& thread : threads)
    thread.join();
  for (const Outcome& outcome : outcomes) {
    CHECK(outcome.out == outcomes.front().out);
    CHECK(outcome.result.counters.total_instructions == outcomes.front().result.counters.total_instructions);
  }
}

TEST_CASE("shared memory and barriers work for every block of a grid in turn")
{
  EngineRig kernel =
      rig(".shared .align 4 .b8 s[512]; mov.u32 %r3, s; mad.lo.u32 %r4, %r0, 4, %r3; st.shared.u32 [%r4], %r1; "
          "bar.sync 0;\n"
          "xor.b32 %r5, %r0, 127; mad.lo.u32 %r4, %r5, 4, %r3; ld.shared.u32 %r2, [%r4];",
          128);
  kernel.grid = {5, 1, 1};
  for (const std::uint32_t resident : {1U, 2U, 9U}) {
    kernel.options.resident_blocks = resident;
    kernel.options.seed = resident;
    const Outcome outcome = kernel.run();
    CHECK(outcome.checks() == "");
    for (std::uint32_t thread = 0; thread < 640; ++thread)
      CHECK(outcome.out[thread] == (thread ^ 127));
  }
}

}  // namespace flashgate::gpu
