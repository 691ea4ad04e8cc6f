#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "matrix/expectations.h"
#include "matrix/store.h"

namespace flashgate::matrix {

/// A check's answer on a cell of a stored run, and what today's expectation lines make of it.
struct ReviewedAnswer
{
  std::size_t cell = 0;  ///< into SubjectReview::cells
  std::string check_id;
  Verdict verdict = Verdict::pass;
  Outcome outcome = Outcome::as_is;
  std::string detail;      ///< as stored
  bool was_flake = false;  ///< the run saw it fail, and not fail when it was retried
};

struct SubjectReview
{
  std::string subject;
  std::vector<Cell> cells;
  std::vector<bool> executed;           ///< of cells: something was executed
  std::vector<std::uint32_t> passed;    ///< of cells: plan.passed_checks
  std::vector<ReviewedAnswer> answers;  ///< all that is no plain pass
};

/// A stored run judged anew by expectation lines: which may differ from those of its day.
struct ExpectationReview
{
  std::vector<SubjectReview> subjects;
  std::vector<ExpectationBook::Use> uses;  ///< of each line; skips lines count as failing what failed under them
};

/// `today` decides which lines have expired.
ExpectationReview review_run(Store& store, std::int64_t run, std::vector<Expectation> lines, const std::string& today);

/// A file of expectations before and after an edit.
struct ExpectationEdit
{
  std::string file;  ///< name without folder
  std::string before, after;
};

/// The smallest edit of the files NAME-fails.txt and NAME-flakes.txt in `folder` after which a stored run is as
/// expected: lines that never came true go, lines that are too wide are replaced by what of them came true, and new
/// lines are added, in terms of axes, for failures that none covers. Lines that have expired are left to people, and so
/// is what they covered. Only files that change are in it; after the edit there is no further one.
std::vector<ExpectationEdit> plan_expectation_update(Store& store, const RunRecord& run,
                                                     const std::filesystem::path& folder, const std::string& name);

}  // namespace flashgate::matrix
