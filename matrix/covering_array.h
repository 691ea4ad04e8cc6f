#pragma once

#include <functional>
#include <vector>

namespace flashgate::matrix {

/// A row of a covering array: one value per factor, kOpen where none has been chosen.
using Row = std::vector<int>;
inline constexpr int kOpen = -1;

/// A rule over rows that reads some factors only. It is asked once all of these have values, never earlier.
struct RowRule
{
  std::vector<int> factors;
  std::function<bool(const Row&)> allows;
};

/// Factors 0 ... n-1 with `levels[i]` values each, and the rules that a row must obey.
struct RowModel
{
  std::vector<int> levels;
  std::vector<RowRule> rules;
};

/// Tells whether rows with open factors can be completed: exact, by backtracking over the factors that rules read.
/// The model must outlive it.
class Completion
{
 public:
  explicit Completion(const RowModel& model);

  /// Is there an allowed row that has the values of `row`?
  bool possible(Row row) const;

  /// Gives every open factor a value so that the row is allowed; false, row unchanged, if there is no way.
  bool complete(Row& row) const;

 private:
  bool search(Row& row, std::size_t next) const;
  bool allowed(const Row& row, int factor) const;

  const RowModel& model_;
  std::vector<std::vector<const RowRule*>> rules_of_;  // by factor
  std::vector<int> ruled_;                             // factors that some rule reads
};

struct CoveringArray
{
  std::vector<Row> rows;        ///< allowed rows without open factors; every possible tuple is in one of them
  std::vector<Row> impossible;  ///< the tuples that no allowed row has, as rows with the other factors open
};

/// A covering array of the strength: of each `strength` factors, every combination of values that an allowed row can
/// have is in some row. IPOG (Lei and others, 2007): rows that cover the first factors are widened by one factor after
/// the other, and what stays uncovered is added as new rows. Deterministic; within 10 % of the best known sizes on
/// mixed levels. REQUIRES 1 <= strength <= number of factors.
CoveringArray covering_array(const RowModel& model, int strength);

}  // namespace flashgate::matrix
