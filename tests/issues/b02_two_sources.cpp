// PaddlePaddle/PaddleFleet#1085: forward follows the flags, backward the model's configuration.
#include <doctest/doctest.h>

#include "matrix/cell.h"
#include "matrix/subjects.h"

namespace flashgate::matrix {
namespace {

struct Row
{
  const char* cell;
  int forward, backward;
};

TEST_CASE("B02: the faulty revision's forward and backward go by different sources")
{
  const Row rows[] = {
      {"cp_flashmask/config_version=2", 3, 2},
      {"cp_flashmask/flag_version=4,device=sm100,config_version=3", 4, 3},
      {"cp_flashmask/flag_version=4,device=sm100,deterministic=on,head_dim=192/128", 4, 2},
      {"cp_flashmask", 3, 3},
  };
  for (const Row& row : rows) {
    sim::CellPlan faulty, right;
    const sim::Request request = to_request(parse_cell(row.cell));
    find_subject("model:fleet-a")->plan(request, false, faulty);
    find_subject("model:effective-first")->plan(request, false, right);
    CAPTURE(row.cell);
    CHECK(faulty.rank(0).forward.version == row.forward);
    CHECK(faulty.rank(0).backward.version == row.backward);
    CHECK(right.rank(0).forward.version == right.rank(0).backward.version);
  }
}

}  // namespace
}  // namespace flashgate::matrix
