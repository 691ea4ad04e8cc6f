#pragma once

#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "gpu/attention/attention_host.h"
#include "matrix/backend.h"

namespace flashgate::app {

/// What a backend for kernels is made of. What says "empty" is for those that are not ours.
struct KernelBackendParts
{
  std::string name;
  std::string evidence;
  int runs = 1;
  std::function<std::unique_ptr<gpu::Device>()> make_device;

  /// Sets a device up for run number `run` of an execution; returns how, in words, for findings.
  std::function<std::string(gpu::Device&, int run)> prepare;

  gpu::attention::KernelLibrary library;
  gpu::attention::HostOptions host{};  ///< planners and layout; what is unwritten is this class's business
  std::string identity{};              ///< what else than PTX decides what is run; empty: the build
  std::optional<gpu::kernels::LseLayout> lse_layout{};  ///< empty: the generation's

  /// Why a case can't run, given how it would be launched on one rank; empty: gpu::kernels::refusal().
  std::function<std::string(const matrix::NumericsCase&, const gpu::kernels::LaunchOptions&)> refusal{};
};

/// Kernels, as a rule ours, on a device. A case of one rank is a forward and, if asked for, a backward from its O and
/// LSE; a context-parallel one runs on simulated ranks that gather K and V and reduce-scatter dK and dV, the kernels
/// being their local attention. v2 runs with its own layout of LSE.
///
/// Devices are pooled: each thread that runs a case has one to itself meanwhile, its modules loaded.
class KernelBackend : public matrix::Backend
{
 public:
  explicit KernelBackend(KernelBackendParts parts);

  std::string name() const override { return parts_.name; }
  std::string_view evidence() const override { return parts_.evidence; }
  int runs() const override { return parts_.runs; }
  std::string kernel_hash(const matrix::NumericsCase& numerics) const override;
  std::string refusal(const matrix::NumericsCase& numerics) const override;
  void run(const matrix::KernelCall& call, matrix::KernelOutputs& outputs) const override;

 private:
  using Host = gpu::attention::AttentionHost;
  class Lease;

  std::unique_ptr<Host> take() const;
  gpu::kernels::LaunchOptions launch_options(const matrix::NumericsCase& numerics) const;

  KernelBackendParts parts_;
  std::map<std::string, std::string, std::less<>> module_hashes_;
  mutable std::mutex mutex_;
  mutable std::vector<std::unique_ptr<Host>> idle_;
};

}  // namespace flashgate::app
