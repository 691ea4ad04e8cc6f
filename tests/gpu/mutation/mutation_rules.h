#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tests/gpu/mutation/ptx_line.h"

namespace flashgate::gpu::mutation {

/// A way to break a kernel: what a wrong edit of its source, or a wrong compiler, would do to one instruction.
struct MutationRule
{
  std::string_view name;  ///< as the table and the file of explained mutants have it
  std::string_view help;
  bool takes_every_line;  ///< else one line per place in the source, as unrolled copies are alike

  /// All ways to apply the rule to an instruction, each the text that takes its place (empty: it is removed); none
  /// where the rule does not apply.
  std::vector<std::string> (*apply)(const PtxLine& line);
};

/// Every rule there is.
std::span<const MutationRule> mutation_rules();

}  // namespace flashgate::gpu::mutation
