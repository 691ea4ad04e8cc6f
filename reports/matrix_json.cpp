#include "reports/matrix_json.h"

#include <array>

#include "matrix/axes.h"
#include "matrix/checks.h"
#include "matrix/execution.h"
#include "reference/compare.h"
#include "reports/json_text.h"
#include "reports/verdict_style.h"

namespace flashgate::reports {
namespace {

using matrix::StoredMatrix;

void write_numbers(JsonText& json, const std::vector<int>& numbers)
{
  json.list(numbers, [&](int number) { json.number(std::int64_t{number}); });
}

void write_sets(JsonText& json, std::string_view key, const std::vector<std::vector<int>>& sets)
{
  json.key(key).list(sets, [&](const std::vector<int>& set) { write_numbers(json, set); });
}

void write_texts(JsonText& json, std::string_view key, const std::vector<std::string>& texts)
{
  json.key(key).list(texts, [&](const std::string& text) { json.text(text); });
}

/// The names behind the numbers of verdicts and outcomes.
void write_vocabulary(JsonText& json)
{
  std::vector<std::string> verdicts, tones, outcomes, excuses;
  for (int i = 0; i <= static_cast<int>(matrix::Verdict::missing); ++i) {
    const auto verdict = static_cast<matrix::Verdict>(i);
    verdicts.emplace_back(verdict_name(verdict));
    tones.emplace_back(tone_name(tone_of(verdict)));
  }
  for (int i = 0; i <= static_cast<int>(matrix::Outcome::flake); ++i) {
    const auto outcome = static_cast<matrix::Outcome>(i);
    outcomes.emplace_back(outcome_name(outcome));
    if (is_excuse(outcome)) excuses.push_back(outcomes.back());
  }
  write_texts(json, "verdicts", verdicts);
  write_texts(json, "tones", tones);
  write_texts(json, "outcomes", outcomes);
  write_texts(json, "excuses", excuses);
  json.key("ulp_ends").list(reference::kUlpBucketEnds, [&](std::int64_t end) { json.number(end); });
  json.key("checks").list(matrix::checks(), [&](const matrix::Check& check) {
    json.array([&] { json.text(check.id).text(check.title); });
  });
  json.key("execution_checks").list(matrix::execution_checks(), [&](const matrix::ExecutionCheck& check) {
    json.array([&] { json.text(check.id).text(check.title); });
  });
}

void write_axes(JsonText& json, const StoredMatrix& data)
{
  const auto& columns = matrix::axis_columns();
  std::size_t i = 0;
  json.key("axes").list(data.axes, [&](const matrix::DictionaryColumn& column) {
    json.object([&] {
      json.key("name").text(column.name).key("help").text(matrix::axis(columns[i++].axis).help);
      write_texts(json, "values", column.values);
      json.key("codes");
      write_numbers(json, column.codes);
    });
  });
}

/// Cells ascend within a subject, so their differences are mostly 1 and deflate to nothing.
std::vector<int> cell_steps(const StoredMatrix& data)
{
  std::vector<int> steps;
  int last = 0;
  for (const matrix::MatrixRow& row : data.rows) {
    steps.push_back(row.cell - last);
    last = row.cell;
  }
  return steps;
}

template <typename Get>
void write_row_column(JsonText& json, std::string_view key, const StoredMatrix& data, Get&& get)
{
  json.key(key).list(data.rows,
                     [&](const matrix::MatrixRow& row) { json.number(static_cast<std::int64_t>(get(row))); });
}

void write_rows(JsonText& json, const StoredMatrix& data)
{
  using Row = matrix::MatrixRow;
  json.key("rows").object([&] {
    write_row_column(json, "subject", data, [](const Row& row) { return row.subject; });
    json.key("cell_step");
    write_numbers(json, cell_steps(data));
    write_row_column(json, "verdict", data, [](const Row& row) { return static_cast<int>(row.verdict); });
    write_row_column(json, "passed", data, [](const Row& row) { return row.passed_checks; });
    write_row_column(json, "plans", data, [](const Row& row) { return row.plans; });
    write_row_column(json, "findings", data, [](const Row& row) { return row.findings; });
    write_row_column(json, "executions", data, [](const Row& row) { return row.executions; });
  });
}

void write_plans(JsonText& json, const StoredMatrix& data)
{
  json.key("plan_fields").list(matrix::plan_fields(), [&](std::string_view field) { json.text(field); });
  json.key("plans").list(data.plans, [&](const matrix::PlanRecord& plan) {
    json.array([&] {
      json.number(std::int64_t{plan.trace}).text(plan.end);
      for (const std::string& field : plan.fields)
        json.text(field);
    });
  });
  write_sets(json, "plan_sets", data.plan_sets);
  json.key("steps").list(data.steps, [&](const sim::TraceStep& step) {
    json.array([&] { json.text(phase_name(step.phase).text()).text(step.decision.text()).text(step.outcome.text()); });
  });
  write_sets(json, "traces", data.traces);
}

void write_findings(JsonText& json, const StoredMatrix& data)
{
  json.key("findings").list(data.findings, [&](const matrix::RowFinding& finding) {
    json.array([&] {
      json.text(finding.check_id).number(static_cast<std::int64_t>(finding.verdict));
      json.number(static_cast<std::int64_t>(finding.outcome)).number(std::int64_t{finding.detail});
    });
  });
  write_sets(json, "finding_sets", data.finding_sets);
  write_texts(json, "details", data.details);
  json.key("incidents").list(data.incidents, [&](const matrix::IncidentRecord& incident) {
    json.array([&] {
      json.number(std::int64_t{incident.row}).text(incident.check_id).text(incident.kind);
      json.number(std::int64_t{incident.detail}).number(std::int64_t{incident.execution});
    });
  });
  write_texts(json, "incident_details", data.incident_details);
}

void write_metric(JsonText& json, const matrix::MetricRecord& metric)
{
  json.array([&] {
    json.text(metric.tensor).number(metric.max_abs).number(metric.max_rel).number(metric.bound_ratio);
    json.number(metric.field_rule_ratio).text(metric.ulp_histogram).text(metric.worst_index);
    json.number(metric.nonfinite_count).number(metric.zero_share);
  });
}

/// Which executions have their figures in the page.
std::vector<bool> chosen(const std::vector<matrix::ExecutionRecord>& executions)
{
  std::vector<bool> chosen(executions.size(), executions.size() <= kMostExecutions);
  if (executions.size() <= kMostExecutions) return chosen;
  std::size_t left = kMostExecutions;
  for (const bool passing : {false, true})
    for (std::size_t i = 0; i < executions.size() && left > 0; ++i)
      if ((executions[i].row.verdict == matrix::Verdict::pass) == passing) {
        chosen[i] = true;
        --left;
      }
  return chosen;
}

void write_executions(JsonText& json, const StoredMatrix& data)
{
  const std::vector<bool> with_figures = chosen(data.executions);
  std::size_t i = 0;
  json.key("executions").list(data.executions, [&](const matrix::ExecutionRecord& execution) {
    const matrix::ExecutionRow& row = execution.row;
    if (!with_figures[i++]) {
      json.raw("null");
      return;
    }
    json.array([&] {
      json.text(row.name).text(row.backend).text(row.kernel).text(row.evidence);
      json.number(static_cast<std::int64_t>(row.verdict)).text(row.check_id).text(row.detail).number(row.seconds);
      json.text(row.digest);
      json.list(execution.metrics, [&](const matrix::MetricRecord& metric) { write_metric(json, metric); });
    });
  });
  write_sets(json, "execution_sets", data.execution_sets);
}

void write_history(JsonText& json, const std::vector<OlderRun>& history)
{
  json.key("history").list(history, [&](const OlderRun& older) {
    json.object([&] {
      json.key("run").text(older.run).key("database").text(older.database).key("started").text(older.started);
      json.key("rows");
      write_numbers(json, older.rows);
      json.key("verdicts");
      write_numbers(json, older.verdicts);
    });
  });
}

}  // namespace

std::string matrix_json(const StoredMatrix& data, const matrix::RunRecord& run, const std::vector<OlderRun>& history)
{
  JsonText json;
  json.object([&] {
    json.key("run").text(run.name).key("suite").text(run.suite).key("command").text(run.options);
    write_vocabulary(json);
    std::vector<std::string> subjects;
    for (const matrix::SubjectRecord& subject : data.subjects)
      subjects.push_back(subject.name);
    write_texts(json, "subjects", subjects);
    write_texts(json, "cells", data.cell_names);
    write_axes(json, data);
    write_rows(json, data);
    write_plans(json, data);
    write_findings(json, data);
    write_executions(json, data);
    write_history(json, history);
  });
  return json.str();
}

}  // namespace flashgate::reports
