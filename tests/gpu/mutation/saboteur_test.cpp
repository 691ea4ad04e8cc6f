// Faults that no single instruction makes: our sources with a piece of text replaced (see CMakeLists.txt), or the wrong
// kernel launched. Each has to be found, and by the check that is there for it.
#include <fstream>
#include <iostream>
#include <iterator>

#include <doctest/doctest.h>
#include <fmt/format.h>
#include <sys/mman.h>

#include "gpu/emulator/memory/global_memory.h"
#include "tests/gpu/kernels/bug_cells.h"
#include "tests/gpu/mutation/trial.h"

namespace flashgate::gpu::mutation {
namespace {

using attention::KernelLibrary;
using kernels::Family;
using kernels::KernelCase;
using kernels::LaunchOptions;
using Mask = reference::Family;

struct Saboteur
{
  std::string name;    ///< of the folder of its PTX
  std::string module;  ///< that it stands in for
  Family family;
  bool is_backward;
  KernelCase shape;
  std::string found_by;
};

/// B18: six query heads, two key/value heads. B13: the first row that a column masks is its diagonal element.
const std::vector<Saboteur> kSaboteurs{
    {"wrong_gqa_head", "v2_forward_d32", Family::v2, false, {Mask::full, {false, 0}, 1, 9, 32, 32, 6, 2}, "numerics"},
    {"wrong_gqa_group", "v2_backward_d32", Family::v2, true, {Mask::full, {false, 0}, 1, 9, 32, 32, 6, 2}, "numerics"},
    {"lt_start_off_diagonal",
     "naive",
     Family::naive,
     false,
     {Mask::fully_masked_rows, {true, 1}, 9, 9, 4, 4},
     "numerics"},
    {"lt_start_off_by_one",
     "v2_forward_d32",
     Family::v2,
     false,
     {Mask::fully_masked_rows, {true, 1}, 9, 9, 32, 32},
     "numerics"},
    {"stale_max", "v2_forward_d32", Family::v2, false, {Mask::full, {false, 0}, 3, 130, 32, 32}, "numerics"},
    {"missing_rescale", "v2_forward_d32", Family::v2, false, {Mask::full, {false, 0}, 3, 130, 32, 32}, "numerics"},
};

std::string saboteur_text(const std::string& name, const std::string& module)
{
  std::ifstream in(fmt::format("{}/{}/{}.ptx", FLASHGATE_SABOTEURS, name, module), std::ios::binary);
  REQUIRE(in);
  return {std::istreambuf_iterator<char>(in), {}};
}

void print(const std::string& name, const TrialResult& result)
{
  std::cout << fmt::format("  saboteur {:<24}found by {}: {}\n", name, result.found_by, result.detail);
}

TEST_CASE("saboteurs of our sources are found by the check that is there for them")
{
  const KernelLibrary right = attention::load_kernels(FLASHGATE_KERNELS);
  for (const Saboteur& saboteur : kSaboteurs) {
    CAPTURE(saboteur.name);
    LaunchOptions options;
    options.family = saboteur.family;
    const std::vector<TrialCase> cases{
        prepare_case(kernels::judge_case(saboteur.shape), options, saboteur.is_backward, right)};
    KernelLibrary wrong = right;
    wrong[saboteur.module] = saboteur_text(saboteur.name, saboteur.module);
    const TrialResult result = try_kernels(wrong, cases);
    print(saboteur.name, result);
    CHECK(result.found_by == saboteur.found_by);
  }
}

/// B05: determinism is asked for and accepted, and the launcher takes the kernel that adds by atomics.
TEST_CASE("a deterministic call that adds in any order is found by its bits")
{
  const KernelLibrary library = attention::load_kernels(FLASHGATE_KERNELS);
  const std::vector<TrialCase> cases{prepare_case(kernels::order_of_dq_sums(), {}, true, library)};
  attention::HostOptions wrong;
  wrong.plan_backward = [](const reference::Problem& problem, LaunchOptions options) {
    options.deterministic = false;
    return plan_backward(problem, options);
  };
  const TrialResult result = try_kernels(library, cases, wrong);
  print("unordered_sums", result);
  CHECK(result.found_by == "bits");
}

/// Memory that is there for its addresses only: pages that nobody touches cost nothing.
class AddressSpace
{
 public:
  explicit AddressSpace(std::size_t bytes)
      : bytes_(bytes),
        start_(mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0))
  {
    REQUIRE(start_ != MAP_FAILED);
  }
  AddressSpace(const AddressSpace&) = delete;
  AddressSpace& operator=(const AddressSpace&) = delete;
  ~AddressSpace() { munmap(start_, bytes_); }
  void* start() const { return start_; }

 private:
  std::size_t bytes_;
  void* start_;
};

/// The findings of naive forward, one row and key, two batch entries, Q's 2^31 elements apart (B33).
std::vector<Finding> run_far_apart(const std::string& ptx)
{
  constexpr std::int64_t kStride = std::int64_t{1} << 31;
  constexpr std::size_t kBytes = (kStride + 1) * sizeof(std::uint16_t);
  const AddressSpace q(kBytes);
  const std::unique_ptr<EmulatedDevice> device = make_emulated_device({});
  device->memory().register_external(q.start(), kBytes, "Q");
  reference::Problem problem;
  problem.batch = 2;
  problem.head_dim = problem.head_dim_v = 1;
  LaunchOptions options;
  options.family = Family::naive;
  kernels::LaunchPlan plan = plan_forward(problem, options);
  plan.parameters.q.address = reinterpret_cast<std::uintptr_t>(q.start());
  plan.parameters.q.batch_stride = kStride;
  const std::vector<std::byte> zeros(64);
  for (std::uint64_t* address : {&plan.parameters.k.address, &plan.parameters.v.address, &plan.parameters.o.address,
                                 &plan.parameters.lse.address}) {
    *address = device->allocate(zeros.size(), "small");
    device->write(*address, zeros);
  }
  const std::unique_ptr<Module> module = device->load(ptx, "naive");
  const kernels::LaunchStep& step = plan.steps.front();
  LaunchConfig config;
  config.grid = step.grid;
  config.block = step.block;
  config.parameters = Arguments().add(plan.parameters).bytes();
  return device->launch(module->kernel(step.entry), config).findings;
}

TEST_CASE("B33: an offset formed in 32 bits is found out of bounds, one in 64 bits is not")
{
  CHECK(run_far_apart(attention::load_kernels(FLASHGATE_KERNELS).at("naive")).empty());
  const std::vector<Finding> findings = run_far_apart(saboteur_text("offset_of_32_bits", "naive"));
  REQUIRE(!findings.empty());
  print("offset_of_32_bits", {std::string(check_name(findings.front().check)), findings.front().detail, true});
  CHECK(findings.front().check == Check::out_of_bounds);
}

}  // namespace
}  // namespace flashgate::gpu::mutation
