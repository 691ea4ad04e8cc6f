#include "matrix/source_coverage.h"

#include <algorithm>
#include <set>
#include <utility>

namespace flashgate::matrix {
namespace {

using Line = std::pair<std::string, int>;

struct Hits
{
  std::int64_t cells = 0;
  std::int64_t first_place = 0;
  std::int64_t first_cell = 0;
};

/// The lines of all ranks together, each once.
std::set<Line> lines_of(const std::vector<std::shared_ptr<const sim::SourceLines>>& ranks)
{
  std::set<Line> lines;
  for (const auto& rank : ranks)
    for (const auto& [file, numbers] : *rank)
      for (const int number : numbers)
        lines.emplace(file, number);
  return lines;
}

}  // namespace

void SourceCoverage::add(const sim::CellPlan& plan, std::int64_t cell)
{
  std::vector<std::shared_ptr<const sim::SourceLines>> key;
  for (int rank = 0; rank < plan.rank_count(); ++rank)
    if (const auto& lines = plan.rank(rank).lines; lines && std::find(key.begin(), key.end(), lines) == key.end())
      key.push_back(lines);
  ++added_;
  if (key.empty()) return;
  Use& use = uses_[std::move(key)];
  if (use.cells++ == 0) use = {1, added_, cell};
}

std::vector<CoverageRow> SourceCoverage::rows(const sim::SourceLines& executable) const
{
  std::map<Line, Hits> hits;
  for (const auto& [file, numbers] : executable)
    for (const int number : numbers)
      hits[{file, number}];
  for (const auto& [ranks, use] : uses_)
    for (const Line& line : lines_of(ranks)) {
      Hits& mine = hits[line];
      if (mine.cells == 0 || use.first_place < mine.first_place) mine = {mine.cells, use.first_place, use.first_cell};
      mine.cells += use.cells;
    }
  std::vector<CoverageRow> rows;
  for (const auto& [line, hit] : hits)
    rows.push_back({0, line.first, line.second, hit.cells, hit.first_cell});
  return rows;
}

}  // namespace flashgate::matrix
