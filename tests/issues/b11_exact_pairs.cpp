// PaddlePaddle/flash-attention#125: a gate of two upper bounds let (160, 128) and (192, 64) into a kernel that has only
// the exact pair (192, 128).
#include <doctest/doctest.h>

#include "matrix/cell.h"
#include "matrix/subjects.h"

namespace flashgate::matrix {
namespace {

struct Row
{
  const char* settings;
  bool v4;
};

TEST_CASE("B11: v4 is chosen for listed pairs only")
{
  const Row rows[] = {
      {"", true},
      {",head_dim=160/128", false},
      {",head_dim=192/64", false},
      {",head_dim=192/128", true},
      {",head_dim=192", false},
      {",head_dim=256/128", false},
      {",head_dim=256", true},
      {",deterministic=on,head_dim=512", false},
      {",head_dim=512", true},
      {",mask_columns=4", false},
  };
  for (const Row& row : rows) {
    sim::CellPlan plan;
    const std::string cell = std::string("rr_flashmask/flag_version=4,device=sm100") + row.settings;
    find_subject("model:effective-first")->plan(to_request(parse_cell(cell)), false, plan);
    CAPTURE(cell);
    CHECK((plan.rank(0).forward.version == 4) == row.v4);
  }
}

}  // namespace
}  // namespace flashgate::matrix
