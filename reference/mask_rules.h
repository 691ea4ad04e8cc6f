#pragma once

#include "reference/mask_families.h"
#include "reference/problem.h"

namespace flashgate::reference {

/// Each family as a direct predicate: is element (query row i, key column j) masked? Stated in the terms of the family
/// (documents, windows, spans), never through columns, and without any code of mask_expand or the generators, so that
/// the two definitions check each other. Includes the causal mask of the problem.
///
/// Pure. REQUIRES: a spec that make_mask() accepts, and indices in range; h is a query head.
bool masked_by_rule(const FamilySpec& spec, const Problem& problem, int b, int h, int i, int j);

}  // namespace flashgate::reference
