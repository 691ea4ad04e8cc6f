#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include <benchmark/benchmark.h>

#include "gpu/emulator/memory/memory_events.h"
#include "gpu/emulator/memory/memory_form.h"

/// Time per warp instruction of the memory handlers: range(0) 0 unchecked, 1 shared races, 2 all checks and counters.
namespace {

using namespace flashgate::gpu;

constexpr std::uint32_t kWarps = 4;
constexpr std::uint32_t kSharedBytes = 48 * 1024;

/// A block of four warps whose shared and global memory are written and in order.
class Bench
{
 public:
  explicit Bench(benchmark::State& state) : checked_(state.range(0) != 0)
  {
    context_.global = &global_;
    context_.findings = &findings_;
    if (state.range(0) == 2) context_.counters = &counters_;
    context_.checks = state.range(0) == 0   ? CheckSet::always()
                      : state.range(0) == 1 ? parse_checks("race-shared,async")
                                            : CheckSet::all();
    context_.shared_bytes = kSharedBytes;
    context_.warps_per_block = kWarps;
    kernel_starts(context_);
    std::array<MemoryWarp*, kWarps> members{};
    for (std::uint32_t w = 0; w < kWarps; ++w) {
      warps_[w].values = values_.data() + std::size_t{w} * 16 * 256;
      warps_[w].predicates = predicates_.data();
      warps_[w].context = &context_;
      warps_[w].block_memory = &block_;
      warps_[w].id = w;
      warps_[w].live = isa::kAllLanes;
      members[w] = &warps_[w];
    }
    block_starts(context_, block_, Dim3{0, 0, 0}, 0, members);
    if (context_.checks.has(Check::uninit_shared)) block_.written.set(0, kSharedBytes);
    data_ = global_.allocate(1 << 16, "data");
    global_.fill(data_, std::byte{0}, 1 << 16);
  }

  isa::Instruction make(const MemoryForm& form, std::uint64_t base, std::uint64_t step) const
  {
    isa::Instruction made;
    made.run = find_memory_handler(form, checked_);
    for (std::uint32_t k = 0; k < 16; ++k)
      made.slot[k] = 256 * k;
    made.a = memory_word(form);
    for (const MemoryWarp& warp : warps_) {
      for (std::uint64_t lane = 0; lane < 32; ++lane)
        warp.lanes<std::uint64_t>(256 * kAddressSlot)[lane] = base + lane * step;
    }
    return made;
  }

  void run(benchmark::State& state, const isa::Instruction& instruction)
  {
    for ([[maybe_unused]] auto round : state)
      instruction.run(warps_[1], instruction, isa::kAllLanes);
    if (!findings_.findings().empty()) state.SkipWithError(findings_.findings()[0].detail.c_str());
  }

  MemoryWarp& warp() { return warps_[1]; }
  std::uint64_t data() const { return data_; }

 private:
  bool checked_;
  GlobalMemory global_;
  FindingLog findings_;
  LaunchCounters counters_;
  MemoryContext context_;
  BlockMemory block_;
  std::array<MemoryWarp, kWarps> warps_;
  alignas(64) std::array<std::byte, std::size_t{kWarps} * 16 * 256> values_{};
  std::array<isa::LaneMask, 8> predicates_{};
  std::uint64_t data_ = 0;
};

MemoryForm form_of(MemoryOperation operation, StateSpace space, std::uint8_t bytes, std::uint8_t count = 1)
{
  MemoryForm form;
  form.operation = operation;
  form.space = space;
  form.element_bytes = bytes;
  form.count = count;
  return form;
}

void access(benchmark::State& state, MemoryOperation operation, StateSpace space, std::uint8_t count)
{
  Bench bench(state);
  const std::uint64_t base = space == StateSpace::global ? bench.data() : 0;
  bench.run(state, bench.make(form_of(operation, space, 4, count), base, 4U * count));
}

void ld_shared(benchmark::State& state) { access(state, MemoryOperation::load, StateSpace::shared, 1); }
void ld_shared_v4(benchmark::State& state) { access(state, MemoryOperation::load, StateSpace::shared, 4); }
void st_shared(benchmark::State& state) { access(state, MemoryOperation::store, StateSpace::shared, 1); }
void st_shared_v4(benchmark::State& state) { access(state, MemoryOperation::store, StateSpace::shared, 4); }
void ld_global(benchmark::State& state) { access(state, MemoryOperation::load, StateSpace::global, 1); }
void st_global_v4(benchmark::State& state) { access(state, MemoryOperation::store, StateSpace::global, 4); }

void ldmatrix_x4(benchmark::State& state)
{
  Bench bench(state);
  bench.run(state, bench.make(form_of(MemoryOperation::load_matrix, StateSpace::shared, 2, 4), 0, 16));
}

void ldmatrix_x4_trans(benchmark::State& state)
{
  Bench bench(state);
  MemoryForm form = form_of(MemoryOperation::load_matrix, StateSpace::shared, 2, 4);
  form.transposed = true;
  bench.run(state, bench.make(form, 0, 16));
}

void red_add_f32(benchmark::State& state)
{
  Bench bench(state);
  MemoryForm form = form_of(MemoryOperation::reduce, StateSpace::global, 4);
  form.type = AtomicType::f32;
  form.semantics = Semantics::relaxed;
  bench.run(state, bench.make(form, bench.data(), 4));
}

/// With its commit and wait.
void cp_async_16(benchmark::State& state)
{
  Bench bench(state);
  isa::Instruction copy = bench.make(form_of(MemoryOperation::copy_async, StateSpace::shared, 16), 0, 16);
  copy.slot[1] = copy.slot[2] = isa::kNoSlot;
  const isa::Instruction wait = bench.make(form_of(MemoryOperation::copy_wait_all, StateSpace::shared, 16), 0, 16);
  for (std::uint64_t lane = 0; lane < 32; ++lane)
    bench.warp().lanes<std::uint64_t>(0)[lane] = bench.data() + 16 * lane;
  for ([[maybe_unused]] auto round : state) {
    copy.run(bench.warp(), copy, isa::kAllLanes);
    wait.run(bench.warp(), wait, isa::kAllLanes);
  }
}

}  // namespace

BENCHMARK(ld_shared)->DenseRange(0, 2);
BENCHMARK(ld_shared_v4)->DenseRange(0, 2);
BENCHMARK(st_shared)->DenseRange(0, 2);
BENCHMARK(st_shared_v4)->DenseRange(0, 2);
BENCHMARK(ld_global)->DenseRange(0, 2);
BENCHMARK(st_global_v4)->DenseRange(0, 2);
BENCHMARK(ldmatrix_x4)->DenseRange(0, 2);
BENCHMARK(ldmatrix_x4_trans)->DenseRange(0, 2);
BENCHMARK(cp_async_16)->DenseRange(0, 2);
BENCHMARK(red_add_f32)->DenseRange(0, 2);
