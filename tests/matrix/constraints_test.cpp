#include "matrix/constraints.h"

#include <algorithm>
#include <set>
#include <string_view>

#include <doctest/doctest.h>
#include <rapidcheck.h>

namespace flashgate::matrix {
namespace {

struct Row
{
  std::string_view cell;
  std::string_view constraint;  ///< empty: the cell is allowed
};

constexpr Row kRows[] = {
    {"rr_flashmask", ""},
    {"rr_flash", ""},
    {"cp_flashmask", ""},
    {"rr_cp_flashmask", ""},
    {"paddle_functional", ""},
    {"rr_flash/mask_columns=2", "rr_flash_takes_no_mask"},
    {"rr_flash/mask_columns=1", "rr_flash_takes_no_mask"},
    {"rr_flashmask/mask_columns=none", ""},
    {"rr_flashmask/mask_columns=1", ""},
    {"rr_flashmask/cp_size=2", "ranks_need_a_cp_path"},
    {"paddle_functional/cp_size=8", "ranks_need_a_cp_path"},
    {"cp_flashmask/cp_size=1", ""},
    {"rr_cp_flashmask/cp_size=8", ""},
    {"rr_flashmask/rank_skew=rank0_only", "skew_needs_ranks"},
    {"cp_flashmask/cp_size=1,rank_skew=rank0_only", "skew_needs_ranks"},
    {"cp_flashmask/rank_skew=rank0_only", ""},
    {"cp_flashmask/v4_import=no,rank_skew=rank0_only", "skew_needs_v4"},
    {"cp_flashmask/flip=flag_3_2", "flip_needs_second_forward"},
    {"paddle_functional/flip=det_on", "flip_needs_second_forward"},
    {"rr_flash/flip=flag_2_3", ""},
    {"rr_cp_flashmask/flip=flag_4_3", ""},
    {"rr_flashmask/flag_version=3,flip=flag_2_3", "flip_starts_from_its_flag"},
    {"rr_flashmask/flag_version=5,flip=flag_3_2", "flip_starts_from_its_flag"},
    {"rr_flashmask/flag_version=4,flip=det_on", ""},
    {"rr_flashmask/deterministic=on,flip=det_on", "flip_switches_deterministic_on"},
    {"rr_flashmask/deterministic=on,flip=flag_4_3", ""},
    {"rr_flashmask/causal_direct=yes", "causal_direct_needs_a_cp_path"},
    {"cp_flashmask/causal_direct=yes", ""},
    {"cp_flashmask/mask_columns=4,causal_direct=yes", "four_columns_are_not_causal"},
    {"cp_flashmask/mask_columns=4", ""},
    {"cp_flashmask/mask_columns=1", "cp_entry_refuses_causal"},
    {"rr_cp_flashmask/mask_columns=1,causal_direct=yes", ""},
};

std::string_view reason_of(std::string_view name)
{
  if (name.empty()) return "";
  const auto found = std::ranges::find(constraints(), name, &Constraint::name);
  return found == constraints().end() ? "no such constraint" : found->reason;
}

}  // namespace

TEST_CASE("each constraint excludes what it is for and nothing near it")
{
  for (const Row& row : kRows) {
    CAPTURE(row.cell);
    CHECK(excluded_by(parse_cell(row.cell)) == reason_of(row.constraint));
  }
}

TEST_CASE("the table tests every constraint, and each has a name and a reason of its own")
{
  std::set<std::string_view> tested, reasons;
  for (const Row& row : kRows)
    tested.insert(row.constraint);
  for (const Constraint& constraint : constraints()) {
    CAPTURE(constraint.name);
    CHECK(tested.contains(constraint.name));
    CHECK_FALSE(constraint.reason.empty());
    CHECK(reasons.insert(constraint.reason).second);
  }
}

TEST_CASE("a constraint looks at no axis but those that it says it reads")
{
  const bool held = rc::check([] {
    Cell cell, other;
    for (const Axis& a : axes()) {
      const auto value = rc::gen::inRange<int>(0, static_cast<int>(a.values.size()));
      cell[a.id] = static_cast<std::uint8_t>(*value);
      other[a.id] = static_cast<std::uint8_t>(*value);
    }
    for (const Constraint& constraint : constraints()) {
      Cell mixed = other;
      for (const AxisId id : constraint.reads)
        mixed[id] = cell[id];
      RC_ASSERT(constraint.allows(mixed) == constraint.allows(cell));
    }
  });
  CHECK(held);
}

}  // namespace flashgate::matrix
