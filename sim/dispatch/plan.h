#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "sim/dispatch/source_lines.h"
#include "sim/dispatch/symbol.h"

namespace flashgate::sim {

/// Where in a training step something was decided or failed.
enum class Phase : std::uint8_t { none, import, forward, second_forward, backward };

/// "import", "fwd", "second_fwd", "bwd"; "" for none.
Symbol phase_name(Phase phase);

/// Which source a phase took its version from.
enum class Source : std::uint8_t { unknown, flags, config };

/// What a launch passes as softmax scale.
enum class ScaleArgument : std::uint8_t { none, floating, other };

/// One kernel launch that a dispatcher decided, whether or not the device can then execute it.
struct Launch
{
  int version = 0;             ///< kernel generation 2, 3 or 4; 0: no launch
  Symbol kernel;               ///< name of the operator or function called
  int arity = 0;               ///< positional arguments passed
  bool deterministic = false;  ///< FLAGS_cudnn_deterministic in force at this launch
  bool causal = false;
  bool dropout = false;  ///< dropout is passed on to the kernel
  ScaleArgument scale = ScaleArgument::none;

  explicit operator bool() const { return version != 0; }
};

/// Why a plan ends early. `kind` is the Python exception's name, or one of two words: "not_supported" if the entry is
/// missing or the device's kernel refuses (kernel_support.h), which is no fault of the dispatcher; "error" if the
/// subject could not be asked (it stalled, crashed, or needs what the stub of Paddle lacks), which says nothing about
/// it.
struct PlanError
{
  Phase phase = Phase::none;
  Symbol kind;
  Symbol message;

  explicit operator bool() const { return phase != Phase::none; }
};

/// The kind of a PlanError that says that the subject could not be asked.
Symbol subject_error();

/// `other` is any collective that the modelled revisions don't use.
enum class Collective : std::uint8_t { all_gather_k, all_gather_v, alltoall_dk, alltoall_dv, other };
Symbol collective_name(Collective collective);

/// The collectives a rank entered, in order. Two forwards and a backward of CP need ten.
struct CollectiveLog
{
  std::array<Collective, 12> entered{};
  int count = 0;

  void enter(Collective collective) { entered[count++] = collective; }
};

/// One step of a trace: in `phase` the dispatcher asked `decision` and the answer was `outcome`.
struct TraceStep
{
  Phase phase = Phase::none;
  Symbol decision;
  Symbol outcome;

  bool operator==(const TraceStep&) const = default;
};

/// What a dispatcher decided for one rank.
struct RankPlan
{
  Launch forward;
  Launch second_forward;  ///< the forward that backward follows where a path has two; refined recompute only re-decides
                          ///< the version here and launches nothing
  Launch backward;
  int handed_version = 0;  ///< version that forward hands, or its stand-in leaves, to backward; 0: not reached
  int lse_version = 0;     ///< generation whose forward made the LSE that backward reads; 0: none was made
  Source forward_source = Source::unknown;
  Source backward_source = Source::unknown;
  PlanError error;
  CollectiveLog collectives;
  std::vector<TraceStep> trace;
  std::shared_ptr<const SourceLines> lines;  ///< of the subject's source that ran; nullptr for models

  void fail(Phase phase, Symbol kind, Symbol message) { error = {phase, kind, message}; }
};

/// The plans of all ranks of a group, rank 0 first. Reused from cell to cell, so that planning does not allocate.
class CellPlan
{
 public:
  /// Empties the plan and makes room for `rank_count` ranks.
  void reset(int rank_count);

  int rank_count() const { return rank_count_; }
  RankPlan& rank(int index) { return ranks_[index]; }
  const RankPlan& rank(int index) const { return ranks_[index]; }

 private:
  std::vector<RankPlan> ranks_;
  int rank_count_ = 0;
};

/// Two plans that differ in nothing but their traces.
bool same_route(const RankPlan& left, const RankPlan& right);

}  // namespace flashgate::sim
