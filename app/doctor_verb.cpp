#include <filesystem>
#include <iostream>

#include <fmt/format.h>

#include "app/command_line.h"
#include "app/installation.h"
#include "app/machine.h"
#include "gpu/emulator/isa/core.h"
#include "matrix/build_info.h"
#include "matrix/provenance.h"
#include "matrix/subjects.h"
#include "matrix/suite.h"
#include "reference/error.h"
#include "sim/dispatch/kernel_ops.h"

namespace flashgate::app {
namespace {

/// A program flashgate can use, and what is lost without it.
struct Tool
{
  const char* name;
  const char* version_command;
  const char* without;
};

constexpr Tool kTools[] = {
    {"g++", "g++ --version", "nothing can be built: apt-get install g++"},
    {"cmake", "cmake --version", "nothing can be built: apt-get install cmake"},
    {"dot", "sh -c 'dot -V 2>&1'", "dispatch graphs stay DOT text: apt-get install graphviz"},
    {"python3", "python3 --version", "the v4 package can't be looked for: apt-get install python3"},
    {"sqlite3", "sqlite3 --version", "no shell for results.db: apt-get install sqlite3"},
    {"nvcc", "sh -c 'nvcc --version | tail -n 1'",
     "CUDA kernels and `emulate` are left out: scripts/setup takes nvcc from PyPI, or install the CUDA toolkit"},
    {"nvidia-smi", "nvidia-smi --query-gpu=name --format=csv,noheader", "no GPU: kernels run on the emulated device"},
};

void print_tools()
{
  for (const Tool& tool : kTools) {
    const auto version = first_line_of(tool.version_command);
    std::cout << fmt::format("{:<11}{}\n", tool.name, version ? *version : std::string("missing: ") + tool.without);
  }
}

std::string emulation_text()
{
  try {
    return "emulate stands in for " + emulation_runtime().filename().string();
  } catch (const Error& error) {
    return error.what();
  }
}

void print_installation(const CommandLine& line)
{
  const matrix::Provenance provenance = matrix::current_provenance();
  std::error_code failure;
  const auto space = std::filesystem::space(".", failure);
  std::cout << fmt::format("{:<11}{}, commit {}{}, {}, {}\n", "flashgate", matrix::build_info::kVersion,
                           provenance.commit.substr(0, 12), provenance.dirty ? " with changes" : "",
                           provenance.compiler, provenance.build_type);
  std::cout << fmt::format("{:<11}{}\n", "machine", provenance.machine);
  std::cout << fmt::format("{:<11}{}\n", "disk",
                           failure ? "unknown" : fmt::format("{} GiB free here", space.available >> 30));
  std::cout << fmt::format("{:<11}emulated on {}; {}\n", "device", gpu::isa::core_name(gpu::isa::best_core()),
                           emulation_text());
  std::cout << fmt::format("{:<11}{} suites in {}\n", "suites", matrix::suite_names(line.run.suites_folder).size(),
                           line.run.suites_folder);
}

sim::Device asked_device(const CommandLine& line, const MachineView& view)
{
  if (line.device.empty()) {
    if (view.device) return *view.device;
    throw Error("doctor --dispatch: " + view.device_text + "; name a device: --device sm100");
  }
  const matrix::Axis& axis = matrix::axis(matrix::AxisId::device);
  const auto index = matrix::find_value(axis, line.device);
  if (!index) throw Error(fmt::format("doctor: --device is not one of the axis device (flashgate list axes)"));
  return static_cast<sim::Device>(axis.values[*index].number);
}

std::string outcome(const sim::RankPlan& plan)
{
  if (plan.error)
    return fmt::format("{} in {}: {}", plan.error.kind.text(), sim::phase_name(plan.error.phase).text(),
                       plan.error.message.text());
  return fmt::format("forward {}, backward {}", sim::version_name(plan.forward.version).text(),
                     sim::version_name(plan.backward.version).text());
}

/// What each subject would run here for each flag on its two commonest paths, head dim 128.
void print_dispatch(const CommandLine& line)
{
  const MachineView view = look_at_machine();
  sim::Request request;
  request.device = asked_device(line, view);
  request.cp_size = 2;
  request.ranks_with_v4 = view.v4_imports ? request.cp_size : 0;
  request.flags.deterministic = view.flags.deterministic;
  std::cout << fmt::format(
      "device: {}; v4 package: {}; deterministic: {}; FLAGS_flash_attn_version: {}; head_dim 128\n",
      line.device.empty() ? view.device_text : line.device + " (asked for)",
      view.v4_imports ? "imports" : "does not import", view.flags.deterministic ? "on" : "off", view.flags.version);
  sim::CellPlan plan;
  for (const matrix::SubjectPtr& subject : matrix::built_in_subjects())
    for (const int flag : {2, 3, 4})
      for (const auto& [path, name] :
           {std::pair{sim::Path::rr_flashmask, "rr_flashmask"}, std::pair{sim::Path::cp_flashmask, "cp_flashmask"}}) {
        request.path = path;
        request.cp_size = sim::is_context_parallel(path) ? 2 : 1;
        request.flags.version = flag;
        request.second_flags = request.config = request.flags;
        subject->plan(request, false, plan);
        std::cout << fmt::format("{:<22} flag {} {:<13} would run: {}\n", subject->name(), flag, name,
                                 outcome(plan.rank(0)));
      }
}

}  // namespace

int doctor_verb(const CommandLine& line)
{
  if (line.dispatch) {
    print_dispatch(line);
    return 0;
  }
  print_installation(line);
  print_tools();
  return 0;
}

}  // namespace flashgate::app
