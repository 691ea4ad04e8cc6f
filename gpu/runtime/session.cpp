#include "gpu/runtime/session.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include <cxxabi.h>

#include "gpu/emulator/memory/global_memory.h"
#include "gpu/emulator/ptx/module.h"
#include "gpu/emulator/report.h"
#include "gpu/runtime/fat_binary.h"
#include "gpu/runtime/refused_call.h"
#include "reference/error.h"

namespace flashgate::gpu::runtime {
namespace {

/// Permuted schedules run with several blocks resident, the natural order with one.
constexpr std::uint32_t kResidentWhenPermuted = 4;

EmulationOptions options_from_environment()
{
  const char* text = std::getenv(kOptionsVariable);
  return text == nullptr ? EmulationOptions{} : parse_emulation_options(text);
}

std::string demangled(const std::string& name)
{
  int status = 0;
  char* text = abi::__cxa_demangle(name.c_str(), nullptr, nullptr, &status);
  const std::string result = status == 0 ? text : name;
  std::free(text);
  return result;
}

void say(const std::string& line) { std::fprintf(stderr, "flashgate emulate: %s\n", line.c_str()); }

std::string place_text(const Finding& finding)
{
  const Dim3& b = finding.block;
  std::string text = "block (" + std::to_string(b.x) + "," + std::to_string(b.y) + "," + std::to_string(b.z) + ")";
  if (finding.lanes != 0) text += " warp " + std::to_string(finding.warp) + " " + lane_list(finding.lanes);
  return text;
}

/// The error that a device would report after such a finding ended a kernel.
cudaError_t fault_of(const LaunchResult& result)
{
  for (const Finding& finding : result.findings) {
    if (finding.check == Check::assertion) return cudaErrorAssert;
    if (finding.check == Check::hang) return cudaErrorLaunchTimeout;
  }
  return cudaErrorLaunchFailure;
}

/// Copies the arguments a program passes one by one to where the entry's .param list wants them.
std::vector<std::byte> parameter_bytes(const Program& program, void** arguments)
{
  std::vector<std::byte> bytes(program.parameter_bytes);
  std::size_t offset = 0;
  for (const ptx::Variable& parameter : program.module->find_function(program.name)->parameters) {
    offset = (offset + parameter.alignment - 1) / parameter.alignment * parameter.alignment;
    std::memcpy(bytes.data() + offset, *arguments++, parameter.size);
    offset += parameter.size;
  }
  return bytes;
}

}  // namespace

Session& Session::get()
{
  // Never destroyed: the program's own static objects may still call in when it ends.
  static Session* session = [] {
    auto* made = new Session;
    std::atexit([] { Session::get().save(true); });
    return made;
  }();
  return *session;
}

Session::Session()
try : options_(options_from_environment()) {
  device_ = make_emulated_device(execution_options(0), options_.memory_bytes);
} catch (const Error& error) {
  say(error.what());
  std::_Exit(3);
}

cudaError_t Session::guarded(const std::function<cudaError_t()>& call)
{
  const std::lock_guard lock(mutex_);
  if (fault_ != cudaSuccess) return last_error_ = fault_;
  cudaError_t result = cudaErrorUnknown;
  try {
    result = call();
  } catch (const Error& error) {
    refuse(error.what());
    result = cudaErrorNotSupported;
  }
  if (result != cudaSuccess) last_error_ = result;
  return result;
}

cudaError_t Session::take_last_error()
{
  const std::lock_guard lock(mutex_);
  const cudaError_t error = last_error_;
  last_error_ = fault_;
  return error;
}

cudaError_t Session::refuse(const std::string& what)
{
  const std::lock_guard lock(mutex_);
  last_error_ = cudaErrorNotSupported;
  if (!refused_.insert(what).second) return cudaErrorNotSupported;
  say("not supported: " + what);
  report_.refused.push_back(what);
  save(false);
  return cudaErrorNotSupported;
}

int refuse_call(const char* name) { return Session::get().refuse(name); }

RegisteredBinary* Session::add_binary(const void* container)
{
  const std::lock_guard lock(mutex_);
  binaries_.push_back(std::make_unique<RegisteredBinary>());
  binaries_.back()->container = container;
  return binaries_.back().get();
}

void Session::add_kernel(RegisteredBinary* binary, const void* host, const char* name)
{
  const std::lock_guard lock(mutex_);
  kernels_[host] = {binary, name, nullptr, 0};
}

void Session::add_variable(RegisteredBinary* binary, const void* host, const char* name, void** managed_pointer)
{
  const std::lock_guard lock(mutex_);
  variables_[host] = {binary, name, managed_pointer};
}

RegisteredKernel* Session::find_kernel(const void* host)
{
  const std::lock_guard lock(mutex_);
  const auto found = kernels_.find(host);
  if (found != kernels_.end()) return &found->second;
  // cudaGetKernel gives out a handle, which the launch functions take as well as the stub's address.
  const auto is_handle = [host](const auto& entry) { return &entry.second == host; };
  const auto handle = std::find_if(kernels_.begin(), kernels_.end(), is_handle);
  return handle == kernels_.end() ? nullptr : &handle->second;
}

Module& Session::module(RegisteredBinary& binary)
{
  if (binary.module == nullptr) {
    const std::vector<FatBinaryImage> images = read_fat_binary(container_at(binary.container));
    binary.module = device_->load(choose_ptx(images, options_.architecture).ptx, "program.ptx");
  }
  return *binary.module;
}

const Kernel& Session::loaded(RegisteredKernel& kernel)
{
  if (kernel.kernel == nullptr) kernel.kernel = &module(*kernel.binary).kernel(kernel.name);
  return *kernel.kernel;
}

const Program& Session::program(RegisteredKernel& kernel) { return device_->program(loaded(kernel)); }

std::pair<DeviceAddress, std::size_t> Session::variable(const void* host)
{
  const auto found = variables_.find(host);
  if (found == variables_.end()) throw Error("a symbol that the program never registered");
  return module(*found->second.binary).variable(found->second.name);
}

ExecutionOptions Session::execution_options(std::uint32_t schedule) const
{
  ExecutionOptions options;
  options.seed = schedule;
  options.async = schedule % 2 == 0 ? AsyncPolicy::at_wait : AsyncPolicy::at_issue;
  options.resident_blocks = schedule == 0 ? 1 : kResidentWhenPermuted;
  options.checks = options_.checks.empty() ? CheckSet::all() : parse_checks(options_.checks);
  if (options_.instruction_budget != 0) options.instruction_budget = options_.instruction_budget;
  return options;
}

LaunchResult Session::run_schedules(const Kernel& kernel, const LaunchConfig& config, KernelSummary& summary)
{
  device_->set_options(execution_options(0));
  if (options_.schedules <= 1) return device_->launch(kernel, config);
  GlobalMemory& memory = device_->memory();
  const auto before = memory.snapshot();
  LaunchResult natural = device_->launch(kernel, config);
  const auto after = memory.snapshot();
  for (std::uint32_t schedule = 1; schedule < options_.schedules && natural.completed; ++schedule) {
    memory.restore(before);
    ExecutionOptions options = execution_options(schedule);
    options.print = [](std::string_view) {};
    device_->set_options(options);
    const LaunchResult permuted = device_->launch(kernel, config);
    summary.varies |= permuted.completed && !memory.has_contents_of(after);
    natural.completed &= permuted.completed;
    natural.findings.insert(natural.findings.end(), permuted.findings.begin(), permuted.findings.end());
  }
  memory.restore(after);
  return natural;
}

cudaError_t Session::launch(RegisteredKernel& registered, const LaunchConfig& asked, void** arguments)
{
  const Kernel& kernel = loaded(registered);
  LaunchConfig config = asked;
  config.parameters = parameter_bytes(device_->program(kernel), arguments);
  KernelSummary& summary = summary_of(kernel.name());
  const LaunchResult result = run_schedules(kernel, config, summary);
  summary.launches += 1;
  summary.blocks += config.grid.count();
  summary.instructions += result.counters.total_instructions;
  summary.shared_bank_conflicts += result.counters.shared_bank_conflicts;
  summary.global_sectors += result.counters.global_sectors;
  summary.global_bytes += result.counters.global_bytes;
  record(kernel, result);
  if (!result.completed) fault_ = fault_of(result);
  return fault_;
}

KernelSummary& Session::summary_of(const std::string& name)
{
  const auto [place, is_new] = summaries_.emplace(name, report_.kernels.size());
  if (is_new) {
    report_.kernels.emplace_back();
    report_.kernels.back().name = demangled(name);
  }
  return report_.kernels[place->second];
}

void Session::record(const Kernel& kernel, const LaunchResult& result)
{
  bool anything_new = false;
  for (const Finding& finding : result.findings) {
    ReportedFinding reported{std::string(check_name(finding.check)),
                             demangled(kernel.name()),
                             place_text(finding),
                             kernel.site(finding.instruction),
                             finding.other < 0 ? "" : kernel.site(finding.other),
                             finding.detail,
                             finding.count,
                             finding.is_warning()};
    const auto same = [&](const ReportedFinding& known) {
      return known.check == reported.check && known.kernel == reported.kernel && known.site == reported.site &&
             known.earlier == reported.earlier;
    };
    const auto known = std::find_if(report_.findings.begin(), report_.findings.end(), same);
    if (known != report_.findings.end()) {
      known->count += reported.count;
      continue;
    }
    report_.findings.push_back(std::move(reported));
    anything_new = true;
  }
  if (anything_new) save(false);
}

void Session::save(bool finished)
{
  if (options_.report.empty()) return;
  const std::lock_guard lock(mutex_);
  report_.finished = finished;
  try {
    write_report(report_, options_.report);
  } catch (const std::exception& error) {
    say(error.what());
  }
}

}  // namespace flashgate::gpu::runtime
