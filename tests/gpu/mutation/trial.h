#pragma once

#include <string>
#include <vector>

#include "gpu/attention/attention_host.h"
#include "gpu/kernels/attention_launch.h"
#include "tests/gpu/kernels/judged_case.h"
#include "tests/gpu/mutation/counting_device.h"

namespace flashgate::gpu::mutation {

/// A small call that kernels are tried with, and what the kernels as they are make of it.
struct TrialCase
{
  kernels::JudgedCase judged;
  kernels::LaunchOptions options;
  bool is_backward = false;
  attention::ForwardResult forward;  ///< of the right kernels: what backward starts from
  std::string bits;                  ///< the result's memory, of the right kernels
  bool has_promised_bits = true;     ///< every schedule gives the same bits
  Work work;                         ///< of the right kernels
};

/// How a trial ended.
struct TrialResult
{
  /// A check's name, "numerics", "bits", "memory" (written where nothing may be), "work" (tiles computed or tested that
  /// their class spares), "refused" (the device took no such program); empty: not found.
  std::string found_by;
  std::string detail;     ///< one line
  bool same_bits = true;  ///< of a mutant that was not found: each case gave the bits of the right kernel
};

/// The schedules that L2 tries: orders of blocks and warps, each with copies that arrive early and late.
std::vector<ExecutionOptions> l2_schedules(int seeds);

/// Makes a case ready. Throws Error if the right kernels are not right here: then nothing could be said about wrong
/// ones.
TrialCase prepare_case(kernels::JudgedCase judged, const kernels::LaunchOptions& options, bool is_backward,
                       const attention::KernelLibrary& library);

/// Runs kernels at evidence L2 (every check, the oracle's bound, the same bits under all schedules) over the cases (the
/// first ones only beyond the natural order of blocks and warps), and stops at the first thing that is wrong.
/// `host_options` may name other plans than our own.
TrialResult try_kernels(const attention::KernelLibrary& library, const std::vector<TrialCase>& cases,
                        const attention::HostOptions& host_options = {});

/// Whether a kernel of the library traps in one of the cases.
bool is_trapping(const attention::KernelLibrary& library, const std::vector<TrialCase>& cases);

}  // namespace flashgate::gpu::mutation
