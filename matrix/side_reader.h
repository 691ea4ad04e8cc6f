#pragma once

#include "matrix/comparison.h"
#include "matrix/store.h"

namespace flashgate::matrix {

/// What a rank does, in one line: "forward v3 flashmask_attention_v2(7), handed 3, backward ...", or as far as it gets
/// and "fails in bwd". What the error says is no part of a route.
std::string route_text(const sim::RankPlan& plan);

/// The short form: "v3 / v3" (forward / backward), "bwd ValueError".
std::string route_end(const sim::RankPlan& plan);

/// Reads one subject of a run, ready to be compared.
Side read_side(Store& store, std::int64_t run, const SubjectRecord& subject);

}  // namespace flashgate::matrix
