#pragma once

#include <filesystem>
#include <vector>

#include "matrix/store.h"
#include "reports/html_page.h"

namespace flashgate::reports {

/// A graph of more nodes than this is drawn once more for each path of the dispatcher: nobody reads it whole.
inline constexpr std::size_t kMostReadableNodes = 80;

/// Writes graphs/SUBJECT.dot and .svg of every subject of the run into `folder`; of a large graph also
/// SUBJECT-PATH.dot and .svg.
std::vector<GraphFile> write_graph_files(matrix::Store& store, std::int64_t run, const std::filesystem::path& folder);

}  // namespace flashgate::reports
