// Dao-AILab/flash-attention#2260, #1500: the offset of a batch entry was formed in 32 bits and widened afterwards.
#include <algorithm>

#include <doctest/doctest.h>
#include <sys/mman.h>

#include "gpu/attention/device_tensor.h"
#include "gpu/emulator/memory/global_memory.h"
#include "reference/half.h"
#include "tests/issues/kernels/kernel_cell.h"

namespace flashgate::gpu::kernels {
namespace {

using attention::DeviceBuffer;

/// As reported: 16 heads, 128 rows and 128 columns a batch entry. Entry 8192 begins at element 2^31.
constexpr std::int64_t kBatchStride = 16 * 128 * 128;
constexpr int kFirstBeyond = 8192;
static_assert(kBatchStride * kFirstBeyond == std::int64_t{1} << 31);

/// Memory that costs only the pages that are written.
class SparseMemory
{
 public:
  SparseMemory(GlobalMemory& memory, std::size_t bytes) : memory_(memory), bytes_(bytes)
  {
    start_ = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    REQUIRE(start_ != MAP_FAILED);
    memory_.register_external(start_, bytes, "O");
  }
  SparseMemory(const SparseMemory&) = delete;
  SparseMemory& operator=(const SparseMemory&) = delete;
  ~SparseMemory()
  {
    memory_.unregister_external(address());
    ::munmap(start_, bytes_);
  }
  DeviceAddress address() const { return reinterpret_cast<DeviceAddress>(start_); }

 private:
  GlobalMemory& memory_;
  std::size_t bytes_;
  void* start_;
};

struct Batches
{
  LaunchResult launched;
  double last = 0;  ///< O of the last batch entry
};

/// Naive forward of `batch` entries with one query and one key each; V, and so O, is 1.
Batches run(int batch, const std::string& fault)
{
  ExecutionOptions options;
  options.checks = CheckSet::always();  // race cells would be as large as the tensor
  const auto device = make_emulated_device(options);
  reference::Problem problem = cell_problem(1, 1);
  problem.batch = batch;
  LaunchOptions launch;
  launch.family = Family::naive;
  const LaunchPlan plan = plan_forward(problem, launch);
  AttentionParameters p = plan.parameters;

  const std::size_t elements = static_cast<std::size_t>(batch) * kCellHeadDim;
  const std::vector<std::uint16_t> ones(elements, reference::to_bits(problem.dtype, 1.0));
  const DeviceBuffer inputs(*device, "Q, K and V", elements * sizeof(std::uint16_t));
  const DeviceBuffer lse(*device, "LSE", static_cast<std::size_t>(batch) * sizeof(float));
  device->write(inputs.address(), std::as_bytes(std::span(ones)));
  const std::size_t bytes = static_cast<std::size_t>(batch) * kBatchStride * sizeof(std::uint16_t);
  const SparseMemory o(device->memory(), bytes);
  p.q.address = p.k.address = p.v.address = inputs.address();
  p.lse.address = lse.address();
  p.o = {o.address(), kBatchStride, kBatchStride, kCellHeadDim};

  const LaunchStep& step = plan.steps.front();
  const auto module = device->load(kernels_with(fault).at(step.module), step.module);
  const LaunchConfig config{step.grid, step.block, {}, step.shared_bytes, false, Arguments().add(p).bytes()};
  Batches result{device->launch(module->kernel(step.entry), config)};
  std::uint16_t bits = 0;
  const std::size_t at = static_cast<std::size_t>(batch - 1) * kBatchStride * sizeof(std::uint16_t);
  device->read(o.address() + at, std::as_writable_bytes(std::span(&bits, 1)));
  result.last = reference::from_bits(problem.dtype, bits);
  return result;
}

TEST_CASE("B33: the offset of batch entry 8192 is 2147483648 elements")
{
  const Batches result = run(kFirstBeyond + 1, "");
  CHECK(result.launched.completed);
  CHECK(result.launched.findings.empty());
  CHECK(result.last == 1.0);
}

TEST_CASE("B33: formed in 32 bits it is found out of bounds, at that batch entry and no sooner")
{
  const Batches below = run(kFirstBeyond, "b33");
  CHECK(below.launched.findings.empty());
  CHECK(below.last == 1.0);
  const Batches beyond = run(kFirstBeyond + 1, "b33");
  REQUIRE(!beyond.launched.findings.empty());
  CHECK(beyond.launched.findings[0].check == Check::out_of_bounds);
  CHECK(beyond.launched.findings[0].block.z == kFirstBeyond);
}

}  // namespace
}  // namespace flashgate::gpu::kernels
