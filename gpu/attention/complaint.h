#pragma once

#include <optional>
#include <string>
#include <vector>

#include "gpu/emulator/finding.h"

namespace flashgate::gpu::attention {

/// One thing that is wrong about a call, apart from its numbers.
struct Complaint
{
  std::optional<Check> check;  ///< empty: memory changed that no kernel may change
  std::string text;            ///< one line: which kernel or buffer, what, where
  bool ended_launch = false;   ///< the kernel did not come to its end
};
using Complaints = std::vector<Complaint>;

}  // namespace flashgate::gpu::attention
