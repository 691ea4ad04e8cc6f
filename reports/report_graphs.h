#pragma once

#include <filesystem>
#include <functional>
#include <iosfwd>
#include <string>
#include <vector>

#include "matrix/store.h"
#include "reports/html_page.h"

namespace flashgate::reports {

/// A graph of more nodes than this is drawn once more for each path of the dispatcher: nobody reads it whole.
inline constexpr std::size_t kMostReadableNodes = 80;

struct GraphDrawing
{
  std::string svg;     ///< the picture; empty if Graphviz could not draw it
  std::string reason;  ///< why it was not drawn, or not by dot
};

/// Writes `folder`/STEM.dot by `write_dot` and draws it as STEM.svg. A picture of an earlier run never stays beside the
/// DOT text of this one. Throws Error as write_whole_file() does.
GraphDrawing draw_graph(const std::filesystem::path& folder, const std::string& stem,
                        const std::function<void(std::ostream&)>& write_dot);

/// Writes graphs/SUBJECT.dot and .svg of every subject of the run into `folder`; of a large graph also
/// SUBJECT-PATH.dot and .svg.
std::vector<GraphFile> write_graph_files(matrix::Store& store, std::int64_t run, const std::filesystem::path& folder);

}  // namespace flashgate::reports
