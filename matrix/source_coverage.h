#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <vector>

#include "matrix/store.h"
#include "sim/dispatch/plan.h"

namespace flashgate::matrix {

/// Which lines of a subject's source the cells ran, gathered cell by cell.
class SourceCoverage
{
 public:
  /// Adds what the ranks of a cell ran; a line counts once per cell. `cell` is the cell's id in the database.
  void add(const sim::CellPlan& plan, std::int64_t cell);

  /// A row per line that is executable or ran, by file and line, `subject` left at 0. The example is the first cell
  /// added that ran it.
  std::vector<CoverageRow> rows(const sim::SourceLines& executable) const;

 private:
  /// Cells that ran exactly these lines. Most cells share their lines with many others.
  struct Use
  {
    std::int64_t cells = 0;
    std::int64_t first_place = 0;
    std::int64_t first_cell = 0;
  };

  std::map<std::vector<std::shared_ptr<const sim::SourceLines>>, Use> uses_;
  std::int64_t added_ = 0;
};

}  // namespace flashgate::matrix
