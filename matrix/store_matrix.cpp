#include <algorithm>
#include <limits>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "matrix/interner.h"
#include "matrix/store_internal.h"
#include "matrix/stored_matrix.h"
#include "reference/error.h"

// A run's cells, column by column: what the page is made from.

namespace flashgate::matrix {
namespace {

std::string_view text_of(SQLite::Statement& row, int column)
{
  const SQLite::Column value = row.getColumn(column);
  const char* text = value.getText("");
  return {text, static_cast<std::size_t>(value.getBytes())};
}

double real_of(SQLite::Statement& row, int column)
{
  const SQLite::Column value = row.getColumn(column);
  return value.isNull() ? std::numeric_limits<double>::quiet_NaN() : value.getDouble();
}

/// A column that knows the axis's values in their order already.
DictionaryColumn column_of(const AxisColumn& column)
{
  DictionaryColumn result;
  result.name = column.name;
  for (const AxisValue& value : axis(column.axis).values) {
    std::string text(value.text.substr(0, value.text.find('/')));
    if (column.second) text = value.text.substr(value.text.find('/') + 1);  // npos + 1 is 0: "64" is "64/64"
    if (std::find(result.values.begin(), result.values.end(), text) == result.values.end())
      result.values.push_back(std::move(text));
  }
  return result;
}

void append(DictionaryColumn& column, std::string_view value)
{
  const auto place = std::find(column.values.begin(), column.values.end(), value);
  column.codes.push_back(static_cast<int>(place - column.values.begin()));
  if (place == column.values.end()) column.values.emplace_back(value);
}

/// What the writer of this schema never leaves dangling.
int index_in(const std::unordered_map<std::int64_t, int>& index, std::int64_t id)
{
  const auto place = index.find(id);
  if (place == index.end()) throw Error(fmt::format("the database refers to id {}, which it does not have", id));
  return place->second;
}

/// Where the finished rows go, and the sets met so far.
class MatrixReader
{
 public:
  MatrixReader(SQLite::Database& database, std::int64_t run, std::vector<SubjectRecord> subjects)
      : database_(database), run_(run)
  {
    for (std::size_t i = 0; i < subjects.size(); ++i)
      subject_index_[subjects[i].id] = static_cast<int>(i);
    matrix_.subjects = std::move(subjects);
  }

  StoredMatrix read()
  {
    read_cells();
    read_plans();
    read_traces();
    read_findings();
    read_executions();
    read_cell_executions();
    read_incidents();
    return std::move(matrix_);
  }

 private:
  void read_cells();
  void read_plans();
  void read_traces();
  void read_findings();
  void read_incidents();
  void read_executions();
  void read_metrics();
  void read_cell_executions();
  int plan_index(SQLite::Statement& row);
  MatrixRow& row_of(std::int64_t subject, std::int64_t cell);

  SQLite::Database& database_;
  std::int64_t run_;
  StoredMatrix matrix_;
  std::unordered_map<std::int64_t, int> subject_index_, cell_index_, execution_index_, trace_index_;
  std::unordered_map<std::uint64_t, std::size_t> row_index_;
  std::vector<std::int64_t> trace_ids_;
  Interner<PlanRecord> plans_;
  SequenceInterner plan_sets_;
  std::string key_;
};

void MatrixReader::read_cells()
{
  std::string names;
  for (const AxisColumn& column : axis_columns()) {
    matrix_.axes.push_back(column_of(column));
    names += fmt::format(", {}", column.name);
  }
  SQLite::Statement select(
      database_, fmt::format("SELECT id, name{} FROM cell WHERE id IN (SELECT cell FROM plan WHERE run = ?1 UNION "
                             "SELECT cell FROM verdict WHERE run = ?1) ORDER BY id",
                             names));
  select.bind(1, run_);
  while (select.executeStep()) {
    cell_index_[select.getColumn(0).getInt64()] = static_cast<int>(matrix_.cell_names.size());
    matrix_.cell_names.emplace_back(text_of(select, 1));
    for (std::size_t i = 0; i < matrix_.axes.size(); ++i)
      append(matrix_.axes[i], text_of(select, static_cast<int>(i) + 2));
  }
}

MatrixRow& MatrixReader::row_of(std::int64_t subject, std::int64_t cell)
{
  const int s = index_in(subject_index_, subject), c = index_in(cell_index_, cell);
  const std::uint64_t key = static_cast<std::uint64_t>(s) << 40 | static_cast<std::uint64_t>(c);
  const auto [place, is_new] = row_index_.try_emplace(key, matrix_.rows.size());
  if (is_new) {
    MatrixRow& row = matrix_.rows.emplace_back();
    row.subject = s;
    row.cell = c;
  }
  return matrix_.rows[place->second];
}

/// Columns from kFirstField on are plan_fields(), and before them the trace.
constexpr int kTrace = 5, kFirstField = 6;

int MatrixReader::plan_index(SQLite::Statement& row)
{
  const auto fields = static_cast<int>(plan_fields().size());
  key_.clear();
  for (int i = kTrace; i < kFirstField + fields; ++i) {
    key_ += text_of(row, i);
    key_ += '\0';
  }
  return plans_.index_of(key_, [&] {
    PlanRecord record;
    for (int i = kFirstField; i < kFirstField + fields; ++i)
      record.fields.emplace_back(text_of(row, i));
    record.end = end_of_route(row.getColumn("forward_version"), row.getColumn("backward_version"),
                              row.getColumn("error_phase"), row.getColumn("error_kind"));
    if (row.getColumn(kTrace).isNull()) return record;
    const std::int64_t trace = row.getColumn(kTrace).getInt64();
    const auto [place, is_new] = trace_index_.try_emplace(trace, static_cast<int>(trace_ids_.size()));
    if (is_new) trace_ids_.push_back(trace);
    record.trace = place->second;
    return record;
  });
}

void MatrixReader::read_plans()
{
  SQLite::Statement select(database_,
                           fmt::format("SELECT subject, cell, rank, verdict, passed_checks, trace, {} FROM plan "
                                       "WHERE run = ? ORDER BY subject, cell, rank",
                                       fmt::join(plan_fields(), ", ")));
  select.bind(1, run_);
  std::vector<int> set;
  MatrixRow* row = nullptr;
  const auto finish = [&] {
    if (row != nullptr) row->plans = plan_sets_.index_of(set);
    set.clear();
  };
  while (select.executeStep()) {
    if (row == nullptr || select.getColumn(2).getInt() == 0) {
      finish();
      row = &row_of(select.getColumn(0).getInt64(), select.getColumn(1).getInt64());
      row->verdict = stored_verdict(std::string(text_of(select, 3)));
    }
    row->passed_checks |= static_cast<std::uint32_t>(select.getColumn(4).getInt64());
    set.push_back(plan_index(select));
  }
  finish();
  matrix_.plans = plans_.take();
  matrix_.plan_sets = plan_sets_.take();
}

void MatrixReader::read_traces()
{
  Interner<sim::TraceStep> steps;
  SQLite::Statement select(database_, "SELECT phase, decision, outcome FROM trace_step WHERE trace = ? ORDER BY step");
  for (const std::int64_t trace : trace_ids_) {
    std::vector<int>& sequence = matrix_.traces.emplace_back();
    select.reset();
    select.bind(1, trace);
    while (select.executeStep()) {
      const std::string phase(text_of(select, 0)), decision(text_of(select, 1)), outcome(text_of(select, 2));
      sequence.push_back(steps.index_of(phase + '\0' + decision + '\0' + outcome, [&] {
        return sim::TraceStep{stored_phase(phase), sim::Symbol(decision), sim::Symbol(outcome)};
      }));
    }
  }
  matrix_.steps = steps.take();
}

void MatrixReader::read_findings()
{
  Interner<std::string> details;
  Interner<RowFinding> findings;
  SequenceInterner sets;
  std::vector<int> set;
  MatrixRow* row = nullptr;
  SQLite::Statement select(database_,
                           "SELECT subject, cell, check_id, verdict, outcome, detail FROM verdict WHERE run = ? "
                           "ORDER BY subject, cell, check_id");
  select.bind(1, run_);
  const auto finish = [&] {
    if (row != nullptr) row->findings = sets.index_of(set);
    set.clear();
  };
  std::pair<std::int64_t, std::int64_t> last{-1, -1};
  while (select.executeStep()) {
    const std::pair<std::int64_t, std::int64_t> now{select.getColumn(0).getInt64(), select.getColumn(1).getInt64()};
    if (now != last) {
      finish();
      row = &row_of(now.first, now.second);
      last = now;
    }
    RowFinding finding;
    finding.check_id = text_of(select, 2);
    finding.verdict = stored_verdict(std::string(text_of(select, 3)));
    finding.outcome = stored_outcome(std::string(text_of(select, 4)));
    if (!select.getColumn(5).isNull())
      finding.detail = details.index_of(text_of(select, 5), [&] { return std::string(text_of(select, 5)); });
    row->verdict = worse(row->verdict, finding.verdict);
    key_ = fmt::format("{}\n{}\n{}\n{}", static_cast<int>(finding.verdict), static_cast<int>(finding.outcome),
                       finding.detail, finding.check_id);
    set.push_back(findings.index_of(key_, [&] { return finding; }));
  }
  finish();
  matrix_.details = details.take();
  matrix_.findings = findings.take();
  matrix_.finding_sets = sets.take();
}

void MatrixReader::read_incidents()
{
  Interner<std::string> details;
  SQLite::Statement select(database_,
                           "SELECT subject, cell, execution, check_id, kind, detail FROM incident WHERE run = ?1 AND "
                           "(cell IS NOT NULL OR execution IN (SELECT execution FROM cell_execution WHERE run = ?1)) "
                           "ORDER BY id");
  select.bind(1, run_);
  while (select.executeStep()) {
    IncidentRecord incident;
    if (select.isColumnNull(1))
      incident.execution = index_in(execution_index_, select.getColumn(2).getInt64());
    else
      incident.row = static_cast<int>(&row_of(select.getColumn(0).getInt64(), select.getColumn(1).getInt64()) -
                                      matrix_.rows.data());
    incident.check_id = text_of(select, 3);
    incident.kind = text_of(select, 4);
    const std::string detail(text_of(select, 5));
    incident.detail = details.index_of(detail, [&] { return detail; });
    matrix_.incidents.push_back(std::move(incident));
  }
  matrix_.incident_details = details.take();
}

void MatrixReader::read_executions()
{
  SQLite::Statement select(database_, fmt::format("SELECT {} FROM execution WHERE id IN "
                                                  "(SELECT execution FROM cell_execution WHERE run = ?) ORDER BY id",
                                                  kExecutionColumns));
  select.bind(1, run_);
  while (select.executeStep()) {
    ExecutionRow row = read_execution(select);
    row.seconds = real_of(select, 9);  // a page tells no time from 0 s
    execution_index_[row.id] = static_cast<int>(matrix_.executions.size());
    matrix_.executions.push_back({std::move(row), {}});
  }
  read_metrics();
}

void MatrixReader::read_metrics()
{
  SQLite::Statement select(database_,
                           "SELECT execution, tensor, max_abs, max_rel, bound_ratio, field_rule_ratio, ulp_histogram, "
                           "worst_index, nonfinite_count, zero_share FROM metric WHERE execution IN "
                           "(SELECT execution FROM cell_execution WHERE run = ?) ORDER BY execution, tensor");
  select.bind(1, run_);
  while (select.executeStep()) {
    MetricRecord metric;
    metric.tensor = text_of(select, 1);
    metric.max_abs = real_of(select, 2);
    metric.max_rel = real_of(select, 3);
    metric.bound_ratio = real_of(select, 4);
    metric.field_rule_ratio = real_of(select, 5);
    metric.ulp_histogram = text_of(select, 6);
    metric.worst_index = text_of(select, 7);
    metric.nonfinite_count = select.getColumn(8).getInt64();
    metric.zero_share = real_of(select, 9);
    const int execution = index_in(execution_index_, select.getColumn(0).getInt64());
    matrix_.executions[static_cast<std::size_t>(execution)].metrics.push_back(std::move(metric));
  }
}

void MatrixReader::read_cell_executions()
{
  SequenceInterner sets;
  std::vector<int> set;
  std::pair<std::int64_t, std::int64_t> last{-1, -1};
  const auto finish = [&] {
    if (!set.empty()) row_of(last.first, last.second).executions = sets.index_of(set);
    set.clear();
  };
  SQLite::Statement select(database_,
                           "SELECT subject, cell, execution FROM cell_execution WHERE run = ? "
                           "ORDER BY subject, cell, execution");
  select.bind(1, run_);
  while (select.executeStep()) {
    const std::pair<std::int64_t, std::int64_t> now{select.getColumn(0).getInt64(), select.getColumn(1).getInt64()};
    if (now != last) finish();
    last = now;
    set.push_back(index_in(execution_index_, select.getColumn(2).getInt64()));
  }
  finish();
  matrix_.execution_sets = sets.take();
}

}  // namespace

const std::vector<std::string_view>& plan_fields()
{
  static const std::vector<std::string_view> fields{
      "forward_version",  "forward_kernel",  "forward_arity",  "second_version", "handed_version",
      "backward_version", "backward_kernel", "backward_arity", "lse_version",    "lse_layout",
      "error_phase",      "error_kind",      "error_message"};
  return fields;
}

const DictionaryColumn* StoredMatrix::find_axis(std::string_view axis) const
{
  const auto place = std::ranges::find(axes, axis, &DictionaryColumn::name);
  return place == axes.end() ? nullptr : &*place;
}

StoredMatrix Store::matrix(std::int64_t run)
{
  return guarded(path_, [&] { return MatrixReader(*database_, run, subjects(run)).read(); });
}

void Store::for_each_cell_verdict(std::int64_t run,
                                  const std::function<void(std::string_view, std::string_view, Verdict)>& use)
{
  guarded(path_, [&] {
    SQLite::Statement select(*database_,
                             "SELECT subject.name, cell.name, plan.verdict FROM plan "
                             "JOIN subject ON subject.id = plan.subject JOIN cell ON cell.id = plan.cell "
                             "WHERE plan.run = ? AND rank = 0");
    select.bind(1, run);
    while (select.executeStep())
      use(text_of(select, 0), text_of(select, 1), stored_verdict(std::string(text_of(select, 2))));
  });
}

}  // namespace flashgate::matrix
