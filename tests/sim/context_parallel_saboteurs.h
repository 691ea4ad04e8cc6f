#pragma once

#include <string>
#include <vector>

#include "sim/context_parallel/context_parallel_attention.h"

namespace flashgate::sim {

/// A context-parallel method with one fault planted, and what must catch it.
struct Saboteur
{
  std::string name;  ///< the fault
  RankAttention attention;
  std::string caught_by;  ///< the first tensor that differs from one rank's ("o", "dk", ...), or a FailureKind's name
  RankGroupOptions group{};  ///< faults of the plan, where the fault is one of timing or life
};

/// The rank that is faulty where only one is.
constexpr int kFaultyRank = 2;

/// All of them, for four ranks, zigzag, head_dim != head_dim_v.
std::vector<Saboteur> saboteurs();

/// Those of them that are rings.
std::vector<Saboteur> ring_saboteurs();

}  // namespace flashgate::sim
