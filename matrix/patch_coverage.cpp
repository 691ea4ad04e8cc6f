#include "matrix/patch_coverage.h"

#include <algorithm>
#include <tuple>

namespace flashgate::matrix {
namespace {

bool is_changed(const CoverageRow& row, const std::vector<sim::ChangedFile>& changed)
{
  return std::any_of(changed.begin(), changed.end(), [&](const sim::ChangedFile& file) {
    return file.path == row.file && std::any_of(file.lines.begin(), file.lines.end(), [&](const sim::LineRange& range) {
             return range.first <= row.line && row.line <= range.last;
           });
  });
}

}  // namespace

std::int64_t PatchCoverage::covered() const
{
  return std::count_if(lines.begin(), lines.end(), [](const PatchLine& line) { return line.hits > 0; });
}

double PatchCoverage::percent() const
{
  if (lines.empty()) return 100;
  return 100.0 * static_cast<double>(covered()) / static_cast<double>(lines.size());
}

PatchCoverage join_coverage(const std::vector<sim::ChangedFile>& changed, const std::vector<CoverageRow>& executable)
{
  PatchCoverage coverage;
  for (const CoverageRow& row : executable)
    if (is_changed(row, changed)) coverage.lines.push_back({row.file, row.line, row.hits, row.example_name});
  std::sort(coverage.lines.begin(), coverage.lines.end(), [](const PatchLine& left, const PatchLine& right) {
    return std::tie(left.file, left.line) < std::tie(right.file, right.line);
  });
  return coverage;
}

}  // namespace flashgate::matrix
