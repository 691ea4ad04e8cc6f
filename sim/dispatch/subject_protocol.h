#pragma once

#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "sim/dispatch/plan.h"
#include "sim/dispatch/request.h"
#include "sim/dispatch/source_lines.h"

namespace flashgate::sim {

/// The subject protocol, version 1: one JSON object a line, described with an example in docs/subject_protocol.md. This
/// is the text only; sim/dispatch/subject_worker.h moves it.
inline constexpr int kSubjectProtocol = 1;

/// A line longer than this is a lie, whatever it says.
inline constexpr std::size_t kLongestLine = std::size_t{4} << 20;

/// What a subject wrote is not what the protocol says. what() names what is wrong, printable.
class ProtocolError : public std::runtime_error
{
 public:
  explicit ProtocolError(const std::string& what) : std::runtime_error(what) {}
};

/// What a subject says of itself before the first batch.
struct SubjectHello
{
  std::string name;
  std::string revision;
  std::vector<std::string> paths;  ///< paths it has an entry for
};

/// The first line we write.
std::string hello_line();

/// The subject's first line. ProtocolError if it isn't one, or of another version.
SubjectHello parse_hello(std::string_view line);

/// A batch of requests as a line; the cells' ids are their positions in `cells`. A subject's refusals by kernel are
/// sent along, so that it can stop where the device would.
std::string batch_line(int batch, std::span<const Request* const> cells, bool with_trace);

/// What a subject says of one rank world.
struct WorldPlan
{
  RankPlan plan;
  int forward_collectives = 0;  ///< of plan.collectives, those entered before backward
};

/// The plans that a worker has named, by name.
using NamedPlans = std::unordered_map<std::string, WorldPlan>;

/// One line that a subject writes in answer to a batch: the plans of a cell, or the end of the batch.
struct SubjectReply
{
  bool done = false;
  int cell = -1;                  ///< position in the batch
  std::vector<WorldPlan> worlds;  ///< one per rank world of the request, in order
  SourceLines executable;         ///< of files that were loaded during the batch; in the last line only
};

/// Parses a line about batch `batch`. Plans that bear a name are added to `named`; a plan may be given by that name.
/// ProtocolError if the line is no JSON, of another batch, or says what no plan can say.
SubjectReply parse_reply(std::string_view line, int batch, NamedPlans& named);

/// Ranks whose worlds differ: rank 0, and the first rank on which v4 does not import if there is one.
std::vector<int> world_ranks(const Request& request);

/// Makes the group's plan from its worlds' plans: ranks of one world decide alike, the device refuses what its kernels
/// can't do (kernel_support.h) as it does for models, and what follows the refusal is forgotten. A launch of which only
/// the version was said is one as a correct caller makes it. ProtocolError if there are not as many worlds as asked
/// for.
void assemble_plan(const Request& request, const std::vector<WorldPlan>& worlds, bool with_trace, CellPlan& plan);

}  // namespace flashgate::sim
