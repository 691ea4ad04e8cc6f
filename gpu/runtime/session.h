#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include <driver_types.h>

#include "gpu/device.h"
#include "gpu/runtime/emulation_report.h"

namespace flashgate::gpu::runtime {

/// A fat binary of the program. Its PTX is read when the first of its kernels or variables is used.
struct RegisteredBinary
{
  const void* container = nullptr;
  std::unique_ptr<Module> module;
};

/// A kernel of the program: the address of its host stub stands for it in calls.
struct RegisteredKernel
{
  RegisteredBinary* binary = nullptr;
  std::string name;
  const Kernel* kernel = nullptr;        ///< once it was loaded
  std::uint32_t max_dynamic_shared = 0;  ///< as asked for by cudaFuncSetAttribute
};

/// A __device__, __constant__ or managed variable: the address of its host shadow stands for it.
struct RegisteredVariable
{
  RegisteredBinary* binary = nullptr;
  std::string name;
  void** managed_pointer = nullptr;
};

/// The state behind the stand-in CUDA runtime: one emulated device, what the program registered, the last error, and
/// the report. Every call of the API locks it, so programs may use threads; streams run in order of the calls.
///
/// Nothing throws out of it: an Error becomes an error code, and its text goes to standard error once.
class Session
{
 public:
  /// The one session of the process, made by the first call from the environment's options.
  static Session& get();

  /// Runs `call` under the lock. Its code is returned and remembered for cudaGetLastError; after a fault of a kernel
  /// every call returns that fault, as on a device.
  cudaError_t guarded(const std::function<cudaError_t()>& call);
  cudaError_t take_last_error();
  cudaError_t last_error() const { return last_error_; }

  /// Says once that `what` (a call, an instruction) is not supported, for the report and on standard error.
  cudaError_t refuse(const std::string& what);

  RegisteredBinary* add_binary(const void* container);
  void add_kernel(RegisteredBinary* binary, const void* host, const char* name);
  void add_variable(RegisteredBinary* binary, const void* host, const char* name, void** managed_pointer);

  /// nullptr where `host` was never registered.
  RegisteredKernel* find_kernel(const void* host);
  const Program& program(RegisteredKernel& kernel);
  std::pair<DeviceAddress, std::size_t> variable(const void* host);

  cudaError_t launch(RegisteredKernel& kernel, const LaunchConfig& config, void** arguments);

  EmulatedDevice& device() { return *device_; }
  const EmulationOptions& options() const { return options_; }

  /// Writes the report; called at exit and whenever something new is found.
  void save(bool finished);

 private:
  Session();
  Module& module(RegisteredBinary& binary);
  const Kernel& loaded(RegisteredKernel& kernel);
  ExecutionOptions execution_options(std::uint32_t schedule) const;
  LaunchResult run_schedules(const Kernel& kernel, const LaunchConfig& config, KernelSummary& summary);
  void record(const Kernel& kernel, const LaunchResult& result);
  KernelSummary& summary_of(const std::string& name);

  EmulationOptions options_;
  std::recursive_mutex mutex_;
  std::unique_ptr<EmulatedDevice> device_;
  std::vector<std::unique_ptr<RegisteredBinary>> binaries_;
  std::unordered_map<const void*, RegisteredKernel> kernels_;
  std::unordered_map<const void*, RegisteredVariable> variables_;
  std::map<std::string, std::size_t> summaries_;
  std::set<std::string> refused_;
  EmulationReport report_;
  cudaError_t last_error_ = cudaSuccess;
  cudaError_t fault_ = cudaSuccess;
};

}  // namespace flashgate::gpu::runtime
