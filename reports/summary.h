#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "matrix/failure_class.h"
#include "matrix/store.h"

namespace flashgate::reports {

/// Cells of one subject by what one check said of them. Each cell is in exactly one count.
struct CheckCounts
{
  std::int64_t passed = 0;
  std::int64_t warned = 0;                        ///< warn and mistrusted
  std::int64_t not_supported = 0;                 ///< not_supported and skip
  std::int64_t failed = 0;                        ///< fails, and no expectation covers it
  std::int64_t absent = 0;                        ///< an expected failure did not come; makes the run fail, too
  std::int64_t expected = 0;                      ///< fails, and is excused: as expected, or a flake
  std::int64_t flaky = 0;                         ///< those of them that are flakes, known or seen
  matrix::Verdict worst = matrix::Verdict::pass;  ///< of all of them, expected or not

  std::int64_t unexpected() const { return failed + absent; }
  bool empty() const { return passed + warned + not_supported + unexpected() + expected == 0; }
  void add(const CheckCounts& other);
};

/// A check as a heading: its id and the rule as a sentence (empty for a check that is not in the table of checks).
struct CheckHeading
{
  std::string id;
  std::string title;
};

struct SubjectSummary
{
  std::string name;
  std::string description;
  std::vector<CheckCounts> checks;            ///< one per RunSummary::checks
  std::vector<matrix::FailureClass> classes;  ///< unexpected first, then by verdict, worst first, then the largest
};

/// How a run ended, for a banner.
enum class RunState { ok, failed, incomplete, nothing_ran };

/// Everything the reports say about one run. Plain data: what is made of it is a function of it alone.
struct RunSummary
{
  matrix::RunRecord run;
  std::vector<CheckHeading> checks;  ///< I1 ... I11 in this order, then others by name; those that had anything to say
  std::vector<SubjectSummary> subjects;
  std::vector<matrix::ExpectationUse> expectation_problems;  ///< lines neither used as they say nor not applicable
  std::map<std::string, std::int64_t> excluded;              ///< counts by the reason of the constraint
  std::vector<matrix::ExecutionCount> executions;            ///< by kernel, evidence and verdict
  std::vector<matrix::WorstRatioRow> worst_ratios;           ///< by kernel, dtype and tensor
  std::vector<matrix::UnpromisedBitsRow> unpromised_bits;    ///< by kernel and tensor
  std::int64_t judged = 0;             ///< of run.selected, the cells that the run got to; told of an unfinished run
  std::vector<matrix::RunPart> parts;  ///< the shard that it is, or those that it was merged from

  CheckCounts totals() const;
  std::int64_t class_count(bool unexpected) const;
  RunState state() const;
};

/// What a summary is made from, as the store has it.
struct SummarySource
{
  matrix::RunRecord run;
  std::vector<matrix::SubjectRecord> subjects;
  std::vector<matrix::VerdictCount> counts;
  std::vector<matrix::FailureClass> classes;
  std::vector<matrix::ExpectationUse> uses;
  std::map<std::string, std::int64_t> excluded;
  std::vector<matrix::ExecutionCount> executions;
  std::vector<matrix::WorstRatioRow> worst_ratios;
  std::vector<matrix::UnpromisedBitsRow> unpromised_bits;
  std::int64_t judged = 0;
  std::vector<matrix::RunPart> parts;
  std::map<std::string, std::string> titles;  ///< of checks, by id
};

/// Sorts and counts. Classes of a subject that the run does not have are dropped.
RunSummary summarize(const SummarySource& source);

/// Reads the run, as far as it is committed, and summarizes it.
RunSummary load_summary(matrix::Store& store, const matrix::RunRecord& run);

/// "OK: ...", "FAILED: 154 unexpected failures in 3 classes", ...: the sentence at the head of every report.
std::string headline(const RunSummary& summary);

/// "run dispatch-1 of suite dispatch, seed 1: 3 subjects x 120 cells", with what the run is a part of or merged from.
std::string run_line(const RunSummary& summary);

/// What makes an unfinished run whole: "continue with: flashgate run --suite dispatch --resume". Empty if it is whole,
/// or if nothing does.
std::string next_step(const RunSummary& summary);

}  // namespace flashgate::reports
