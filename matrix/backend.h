#pragma once

#include <bit>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "matrix/numerics_case.h"
#include "matrix/verdict.h"
#include "reference/attention.h"

namespace flashgate::matrix {

/// What a kernel is called with. All of it outlives the call.
struct KernelCall
{
  const NumericsCase& numerics;  ///< which kernel, which direction, deterministic or not, how many ranks
  const reference::Problem& problem;
  const reference::ColumnMask& mask;
  const reference::AttentionInputs& inputs;  ///< values of the dtype; may be longer than the lengths (padding)
  int run = 0;                               ///< which of the backend's runs() this is: another one, another schedule
};

/// What a check found wrong, or the reason of a skip.
struct ExecutionFinding
{
  std::string_view check_id;  ///< one of execution_checks()
  Verdict verdict = Verdict::pass;
  std::string detail;                ///< one line: tensor, place, what was expected
  Outcome outcome = Outcome::as_is;  ///< or flake: run again alone, it gave another answer
};

/// What a kernel returns, as doubles that hold values of its formats. Shapes are those of the problem. A forward call
/// is judged by `forward` alone, a backward call by `backward` alone.
struct KernelOutputs
{
  reference::AttentionOutputs forward;  ///< LSE: natural log, [batch, heads, seqlen_q], -inf for a fully masked row
  reference::AttentionGradients backward;
  std::vector<ExecutionFinding> findings{};  ///< what the device saw go wrong, one per check
  bool ended = true;                         ///< false: a kernel did not end, so tensors say nothing
};

/// Outputs hold this NaN before a call. A kernel never computes it: arithmetic gives another payload. Who converts from
/// a device's formats maps the bytes a buffer was filled with to it.
inline constexpr std::uint64_t kUnwrittenBits = 0x7FF8'DEAD'F1A5'46A7;
inline const double kUnwritten = std::bit_cast<double>(kUnwrittenBits);
inline bool is_unwritten(double value) { return std::bit_cast<std::uint64_t>(value) == kUnwrittenBits; }

/// Where kernels run: the one interface they come through, and all that this folder knows of them.
///
/// Thread rule: const, so several threads may run one backend at the same time, each into its own outputs.
class Backend
{
 public:
  virtual ~Backend() = default;

  /// As in column execution.backend: "reference-rounded".
  virtual std::string name() const = 0;

  /// How far its results are evidence about kernels: none, L0, L1, L2 or L3.
  virtual std::string_view evidence() const = 0;

  /// How often an execution calls run() to judge it, with KernelCall::run = 0, 1, ... Bits are compared over all of
  /// them where they are promised.
  virtual int runs() const { return 2; }

  /// The hash of the code that would run, part of an execution's digest; empty if the backend's name says it all.
  virtual std::string kernel_hash(const NumericsCase& numerics) const = 0;

  /// Why this backend can't run the case, one line; empty if it can. Asked before run(); the execution is then a skip.
  virtual std::string refusal(const NumericsCase& numerics) const = 0;

  /// Runs the kernel. Writes `outputs.forward`, and for a backward case `outputs.backward`, starting from this
  /// kernel's own forward. `outputs` come in with every element kUnwritten. A wrong result is data; an Error says that
  /// there is none. Calls that differ in `run` alone give equal bits wherever the kernel promises it.
  virtual void run(const KernelCall& call, KernelOutputs& outputs) const = 0;
};

}  // namespace flashgate::matrix
