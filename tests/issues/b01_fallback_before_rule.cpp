// PaddlePaddle/PaddleFleet#1396, #1398: flag 4 without the v4 package. The version that runs must be settled first and
// every later rule applied to it; the value handed to backward must be the one that ran.
#include <doctest/doctest.h>

#include "matrix/cell.h"
#include "matrix/subjects.h"

namespace flashgate::matrix {
namespace {

struct Row
{
  const char* cell;
  int effective;
};

const Row kRows[] = {
    {"cp_flashmask/flag_version=4,v4_import=no,deterministic=on,head_dim=192", 2},
    {"cp_flashmask/flag_version=4,v4_import=no,deterministic=on", 3},
    {"cp_flashmask/flag_version=4,v4_import=no,deterministic=on,signature=legacy", 2},
    {"cp_flashmask/flag_version=4,v4_import=no", 3},
};

TEST_CASE("B01: forward, saved value and backward are the effective version")
{
  for (const Row& row : kRows) {
    sim::CellPlan plan;
    find_subject("model:effective-first")->plan(to_request(parse_cell(row.cell)), false, plan);
    CAPTURE(row.cell);
    for (int rank = 0; rank < plan.rank_count(); ++rank) {
      CHECK(plan.rank(rank).forward.version == row.effective);
      CHECK(plan.rank(rank).handed_version == row.effective);
      CHECK(plan.rank(rank).backward.version == row.effective);
    }
  }
}

TEST_CASE("B01: the faulty revision hands on the raw flag wherever forward survives")
{
  sim::CellPlan plan;
  find_subject("model:fleet-d")->plan(to_request(parse_cell(kRows[2].cell)), false, plan);
  CHECK(plan.rank(0).forward.version == 2);
  CHECK(plan.rank(0).handed_version == 4);
}

}  // namespace
}  // namespace flashgate::matrix
