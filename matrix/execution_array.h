#pragma once

#include <vector>

#include "matrix/numerics_case.h"

namespace flashgate::matrix {

/// The covering array of a run, as cases: of each `strength` of the free axes and of the pinned axes that constraints
/// tie them to (kernel, direction, causal, mask_columns, cp_size), every combination of values that the constraints
/// allow is in some row. Axes outside the array, and the naive kernel, which no plan chooses, are left at 0.
/// Deterministic.
std::vector<NumericsCase> numerics_array(int strength);

/// The case of `pin` with the free axes of `row`.
NumericsCase with_free_axes(const NumericsCase& pin, const NumericsCase& row);

/// True if `row` is written the way `pin` calls its kernel, and their combination is allowed.
bool carries(const NumericsCase& pin, const NumericsCase& row);

/// The positions in `cases` of at most `limit` of them, ascending: greedily those that add most that has not been seen.
/// A new value of an axis counts more than all pairs together; pairs count less in dear cases.
std::vector<std::size_t> most_telling(const std::vector<NumericsCase>& cases, std::size_t limit);

/// As most_telling(), but only as long as they add a pair of values that has not been seen.
std::vector<std::size_t> telling_pairs(const std::vector<NumericsCase>& cases, std::size_t limit);

/// Up to this cost a case takes well under a second on one core, backward included.
inline constexpr double kComfortableCost = 2.0e8;

}  // namespace flashgate::matrix
