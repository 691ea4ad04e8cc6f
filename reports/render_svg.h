#pragma once

#include <chrono>
#include <filesystem>
#include <string>

namespace flashgate::reports {

/// How long Graphviz may work on one graph before the next, simpler way is tried.
inline constexpr std::chrono::milliseconds kRenderLimit{10000};

struct Rendering
{
  bool done = false;
  std::string tool;    ///< "dot" or "sfdp", whichever drew it; empty if neither did
  std::string reason;  ///< why a better way was not taken: "dot: timed out after 10 s". One line
};

/// Draws the DOT file as SVG by Graphviz in a child process: by dot, and if that fails or takes too long by sfdp, which
/// is quick on any graph. `svg` is replaced when it is complete, or left as it was. A missing Graphviz is no error.
Rendering render_svg(const std::filesystem::path& dot_file, const std::filesystem::path& svg,
                     std::chrono::milliseconds limit = kRenderLimit);

}  // namespace flashgate::reports
