#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "matrix/store.h"

namespace flashgate::matrix {

/// One distinct rank's plan: a text per plan_fields() ("" where the store has NULL), and its decisions.
struct PlanRecord
{
  std::vector<std::string> fields;
  std::string end;  ///< as RouteRow::end
  int trace = -1;   ///< index into StoredMatrix::traces; -1: none
};

/// The columns of table `plan` that say what a rank does, in the order of PlanRecord::fields.
const std::vector<std::string_view>& plan_fields();

/// A check's verdict on a cell that is not a plain pass.
struct RowFinding
{
  std::string check_id;
  Verdict verdict = Verdict::pass;
  Outcome outcome = Outcome::as_is;
  int detail = -1;  ///< index into StoredMatrix::details; -1: none
};

/// How far one tensor of an execution is from the oracle. NaN where the store has NULL.
struct MetricRecord
{
  std::string tensor;
  double max_abs = 0, max_rel = 0, bound_ratio = 0, field_rule_ratio = 0;
  std::string ulp_histogram, worst_index;  ///< JSON arrays, as stored
  std::int64_t nonfinite_count = 0;
  double zero_share = 0;
};

struct ExecutionRecord
{
  ExecutionRow row;
  std::vector<MetricRecord> metrics;  ///< by tensor
};

/// A column of few distinct values: an index into `values` per row.
struct DictionaryColumn
{
  std::string name;
  std::vector<std::string> values;  ///< known values in the order of their axis, then others as met
  std::vector<int> codes;
};

/// What became of one subject on one cell. The numbers are indices into the vectors of StoredMatrix.
struct MatrixRow
{
  int subject = 0;
  int cell = 0;
  Verdict verdict = Verdict::pass;  ///< the worst of plan and findings
  std::uint32_t passed_checks = 0;
  int plans = 0;       ///< the ranks' plans
  int findings = 0;    ///< its checks that are not a plain pass
  int executions = 0;  ///< the executions that answer for it
};

/// The evidence of a hang, crash, race or divergence, of a row or of an execution; the other index is -1.
struct IncidentRecord
{
  int row = -1;
  std::string check_id, kind;
  int detail = 0;  ///< index into StoredMatrix::incident_details
  int execution = -1;
};

/// Everything a run says of its cells, column by column, with each distinct plan, trace, finding and set of them once.
/// Set 0 of each kind is the empty one. Equal databases give equal matrices.
struct StoredMatrix
{
  std::vector<SubjectRecord> subjects;
  std::vector<std::string> cell_names;
  std::vector<DictionaryColumn> axes;  ///< per axis column, of the cells
  std::vector<MatrixRow> rows;         ///< by subject, then cell; those without a plan at the end
  std::vector<PlanRecord> plans;
  std::vector<std::vector<int>> plan_sets;  ///< rank by rank
  std::vector<sim::TraceStep> steps;
  std::vector<std::vector<int>> traces;  ///< indices into `steps`
  std::vector<RowFinding> findings;
  std::vector<std::vector<int>> finding_sets;
  std::vector<std::string> details;
  std::vector<IncidentRecord> incidents;
  std::vector<std::string> incident_details;
  std::vector<ExecutionRecord> executions;
  std::vector<std::vector<int>> execution_sets;

  /// The axis column of that name; nullptr if there is none.
  const DictionaryColumn* find_axis(std::string_view axis) const;
};

}  // namespace flashgate::matrix
