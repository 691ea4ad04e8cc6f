#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <regex>
#include <string>
#include <vector>

#include "matrix/checks.h"
#include "matrix/condition.h"
#include "matrix/verdict.h"

namespace flashgate::matrix {

/// What a line of an expectation file says about the cells it covers.
enum class ExpectationKind : std::uint8_t { fails, flakes, skips };

struct CellExecutions;
struct ExecutionFinding;
struct NamedCondition;

/// A conjunction of conditions on the axes and of named conditions, each as it is or negated.
struct Clause
{
  struct Name
  {
    std::shared_ptr<const NamedCondition> condition;
    bool negated = false;
  };

  Condition axes;
  std::vector<Name> names;

  bool matches(const std::array<ValueSet, kAttributeCount>& cell) const;
};

/// What several lines of a file speak of, under one name: true where one of the alternatives is.
///
///     let det_rule = deterministic=on signature=legacy or deterministic=on head_dim>128
struct NamedCondition
{
  std::string name;
  std::vector<Clause> alternatives;

  bool matches(const std::array<ValueSet, kAttributeCount>& cell) const;
};

/// One line of `<suite>-fails.txt`, `-flakes.txt` or `-skips.txt`:
///
///     subject=model:fleet-d check=I4 flag_version=4 v4_available=no deterministic=on | reason | owner | expiry
///
/// The first field is a conjunction of terms: subject= (a list; default: every subject), check= (a list of checks of
/// plans, I1 ... I11, and of executions, numerics, race, ...; fails need one), verdict= (default: fail), cell= (a
/// regular expression for the whole cell name), conditions on the axes (condition.h), and names from `let` lines
/// further up, alone or after a !. Reason and owner are for people; expiry is a date YYYY-MM-DD or "never".
///
/// A conjunction speaks of the cells where the check has an answer: one that does not apply, or a request that is not
/// supported, is neither a hit nor a miss. A line that names cells (cell=) is stricter: no answer is unexpected_skip.
struct Expectation
{
  ExpectationKind kind = ExpectationKind::fails;
  std::string file;  ///< without folder
  int line = 0;
  std::string text;                                ///< the conjunction as written
  std::vector<std::string> subjects;               ///< empty: every one
  std::vector<int> checks;                         ///< indices into matrix::checks()
  std::vector<std::string_view> execution_checks;  ///< ids; none of either kind: any check (flakes and skips only)
  Verdict verdict = Verdict::fail;
  std::string cell_pattern;
  std::regex cell_regex;
  Clause condition;
  std::string reason;
  std::string owner;
  std::string expiry;

  bool names_checks() const { return !checks.empty() || !execution_checks.empty(); }
  bool covers_subject(const std::string& name) const;
  bool covers_cell(const std::array<ValueSet, kAttributeCount>& attributes, const Cell& cell) const;
};

/// Reads the up to three files of `suite` in `folder`; a missing file has no lines. Bad input is an Error that names
/// file and line.
std::vector<Expectation> load_expectations(const std::filesystem::path& folder, const std::string& suite);

/// Parses the lines of one file; for tests and for load_expectations().
std::vector<Expectation> parse_expectations(ExpectationKind kind, const std::string& file, std::string_view text);

/// A check's verdict on a cell, with what the expectations make of it.
struct JudgedVerdict
{
  int check = 0;
  Verdict verdict = Verdict::pass;
  Outcome outcome = Outcome::as_is;
  std::string detail;
};

/// The expectations of a run, and the account of how each line was used.
class ExpectationBook
{
 public:
  /// `today` as YYYY-MM-DD: a line whose expiry lies before it no longer excuses anything.
  ExpectationBook(std::vector<Expectation> lines, const std::string& today);

  /// The reason of the skips line that covers the cell; empty if it is to be run.
  std::string skip_reason(const std::string& subject, const Cell& cell);

  /// All verdicts of a cell that are worth a row, by check: those of the judgement, with their outcomes, and a row
  /// unexpected_pass or unexpected_skip for each line that expected a failure which did not come.
  std::vector<JudgedVerdict> apply(const std::string& subject, const Cell& cell, const Judgement& judgement);

  /// The same for the cell's executions: a row per finding, and one per line that expected another. Where nothing was
  /// executed no check has an answer.
  std::vector<ExecutionFinding> apply_executions(const std::string& subject, const Cell& cell,
                                                 const CellExecutions& executed);

  struct Use
  {
    Expectation line;
    std::int64_t covered = 0;  ///< selected cells of selected subjects that the line covers
    std::int64_t matched = 0;  ///< answers that its checks gave on them; for skips: cells skipped
    std::int64_t failing = 0;  ///< of these, failures as the line says
    bool expired = false;

    /// "used"; "unexpected" (a check passed, or failed in another way, where the line says it fails); "expired";
    /// "not_applicable" (its checks gave no answer on any selected cell of a selected subject).
    std::string status() const;
  };
  const std::vector<Use>& uses() const { return uses_; }

 private:
  std::vector<Use> uses_;
};

/// True if the verdict makes the run fail.
bool fails_the_run(Verdict verdict, Outcome outcome);

}  // namespace flashgate::matrix
