#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "matrix/comparison.h"
#include "matrix/route_difference.h"

namespace flashgate::matrix {

/// Where base and head part on some cells of a class.
struct PartingPlace
{
  Parting parting;
  std::int64_t cells = 0;
};

/// Cells that changed in one way, named by a small conjunction that covers them and no cell that did not change so.
struct ChangeClass
{
  ChangeKind kind = ChangeKind::unchanged;
  std::string base_subject;  ///< for parity: dev
  std::string head_subject;
  std::string check_id;
  Verdict verdict = Verdict::pass;
  std::string condition;  ///< Condition::text(); empty: everywhere
  std::string detail;
  std::int64_t cells = 0;
  std::int64_t unexpected = 0;             ///< cells that no expectation covers
  std::string example_cell;                ///< of few words, an unexpected one where there is one
  std::string base_route, head_route;      ///< of the example, each with its error
  std::vector<PartingPlace> partings;      ///< the example's first, then by cells, at most kMostPartings
  std::vector<DifferenceLine> difference;  ///< of the example's decisions

  bool fails() const { return fails_the_gate(kind) && unexpected > 0; }
};
inline constexpr std::size_t kMostPartings = 20;

/// What a comparison of two sides found.
struct SideComparison
{
  std::vector<ChangeClass> classes;  ///< those that fail the gate first, then by kind, verdict, size; none is unchanged
  std::array<std::int64_t, kChangeKindCount> cells{};       ///< per kind; a cell counts in each kind that it has
  std::array<std::int64_t, kChangeKindCount> unexpected{};  ///< of these, cells that no expectation covers
};

/// Compares every cell of base with head. Cells that only head has are the caller's business: it refuses such a base.
SideComparison compare_sides(const Side& base, const Side& head);

/// Compares every cell of dev with the pick: classes of kind parity only, and their count.
SideComparison compare_parity(const Side& dev, const Side& pick);

/// Puts the classes of several comparisons in one order and adds their counts up.
void append(SideComparison& all, SideComparison more);

/// The first cell of `head` that `base` lacks, and how many there are.
struct LackingCells
{
  std::int64_t cells = 0;
  std::string example;
};
LackingCells lacking_cells(const Side& base, const Side& head);

}  // namespace flashgate::matrix
