#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "matrix/verdict.h"
#include "sim/dispatch/plan.h"
#include "sim/dispatch/request.h"

namespace flashgate::matrix {

/// What one check found on one cell's plan. The text is made only when someone wants to read it.
struct Finding
{
  bool applies = false;  ///< false: the check has nothing to judge here, it neither passes nor fails
  Verdict verdict = Verdict::pass;
  std::string_view pattern;            ///< the finding's text, with a {} for each word
  std::array<sim::Symbol, 4> words{};  ///< what goes into it

  /// The finding as one line; equal for all cells that break the check in the same way. Empty for a pass.
  std::string text() const;
};

/// A rule that judges a plan. One row of the table in checks.cpp is all there is of it.
struct Check
{
  std::string_view id;     ///< "I1"
  std::string_view title;  ///< the rule as a sentence
  Finding (*judge)(const sim::Request&, const sim::CellPlan&);
};

/// All checks in the order of their ids. A check's index is its bit in plan.passed_checks.
const std::vector<Check>& checks();

/// Index of the check with that id; -1 if there is none.
int find_check(std::string_view id);

/// The verdicts of all checks on one cell of one subject.
struct Judgement
{
  std::uint32_t passed = 0;                       ///< bit i: check i applies and passes
  std::vector<std::pair<int, Finding>> findings;  ///< check index and finding, for every verdict but pass

  Verdict worst() const;
};

/// Judges a plan by every check; `judgement` is emptied first and reused, so that judging does not allocate.
/// `request` is rank 0's.
void judge(const sim::Request& request, const sim::CellPlan& plan, Judgement& judgement);

}  // namespace flashgate::matrix
