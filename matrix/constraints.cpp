#include "matrix/constraints.h"

namespace flashgate::matrix {
namespace {

using enum AxisId;

int number(const Cell& cell, AxisId id) { return axis(id).values[cell[id]].number; }
std::string_view text(const Cell& cell, AxisId id) { return axis(id).values[cell[id]].text; }
bool on_cp_path(const Cell& cell) { return sim::is_context_parallel(path_of(cell)); }

// rr_flash calls the plain kernels, which have no place for a mask.
bool rr_flash_takes_no_mask(const Cell& cell)
{
  return path_of(cell) != sim::Path::rr_flash || number(cell, mask_columns) == 0;
}

bool ranks_need_a_cp_path(const Cell& cell) { return number(cell, cp_size) == 1 || on_cp_path(cell); }

// Rank 0 alone has v4: without other ranks, or without v4 at all, the cell would equal one without skew.
bool has_no_skew(const Cell& cell) { return number(cell, rank_skew) == 0; }
bool skew_needs_ranks(const Cell& cell) { return has_no_skew(cell) || number(cell, cp_size) > 1; }
bool skew_needs_v4(const Cell& cell) { return has_no_skew(cell) || number(cell, v4_import) != 0; }

// Only refined recompute runs forward twice, so only there can a flag change in between.
bool flip_needs_second_forward(const Cell& cell)
{
  return text(cell, flip) == "none" || sim::is_refined_recompute(path_of(cell));
}

/// The default of flag_version under "flag_a_b" is a; under the other flips the axis is free.
bool flip_starts_from_its_flag(const Cell& cell)
{
  return !text(cell, flip).starts_with("flag_") || cell[flag_version] == axis(flag_version).default_index(cell);
}

// Switching on what is on would equal the cell without a flip.
bool flip_switches_deterministic_on(const Cell& cell)
{
  return text(cell, flip) != "det_on" || number(cell, deterministic) == 0;
}

// Context parallel's functions can be called past the entry that refuses causal=True; other paths have no such way in.
bool is_not_direct(const Cell& cell) { return number(cell, causal_direct) == 0; }
bool causal_direct_needs_a_cp_path(const Cell& cell) { return is_not_direct(cell) || on_cp_path(cell); }
bool four_columns_are_not_causal(const Cell& cell) { return is_not_direct(cell) || number(cell, mask_columns) != 4; }

// A mask of one column is causal by definition, so on the cp paths it exists for direct calls only.
bool cp_entry_refuses_causal(const Cell& cell)
{
  return !on_cp_path(cell) || number(cell, mask_columns) != 1 || !is_not_direct(cell);
}

}  // namespace

const std::vector<Constraint>& constraints()
{
  static const std::vector<Constraint> all{
      {"rr_flash_takes_no_mask", "path rr_flash takes no mask", {path, mask_columns}, rr_flash_takes_no_mask},
      {"ranks_need_a_cp_path", "only the cp paths have more than one rank", {path, cp_size}, ranks_need_a_cp_path},
      {"skew_needs_ranks", "ranks can differ only where there are two or more", {rank_skew, cp_size}, skew_needs_ranks},
      {"skew_needs_v4", "v4 must import for rank 0 to have what others lack", {rank_skew, v4_import}, skew_needs_v4},
      {"flip_needs_second_forward", "only the rr paths have a second forward", {path, flip}, flip_needs_second_forward},
      {"flip_starts_from_its_flag",
       "flip flag_a_b starts from flag_version a",
       {flip, flag_version},
       flip_starts_from_its_flag},
      {"flip_switches_deterministic_on",
       "flip det_on starts from deterministic=off",
       {flip, deterministic},
       flip_switches_deterministic_on},
      {"causal_direct_needs_a_cp_path",
       "only the cp paths have functions to call directly",
       {path, causal_direct},
       causal_direct_needs_a_cp_path},
      {"four_columns_are_not_causal",
       "a mask of four columns is not causal",
       {causal_direct, mask_columns},
       four_columns_are_not_causal},
      {"cp_entry_refuses_causal",
       "a mask of one column is causal, which the entry of cp refuses",
       {path, mask_columns, causal_direct},
       cp_entry_refuses_causal},
  };
  return all;
}

std::string_view excluded_by(const Cell& cell)
{
  for (const Constraint& constraint : constraints())
    if (!constraint.allows(cell)) return constraint.reason;
  return {};
}

}  // namespace flashgate::matrix
