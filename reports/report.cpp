#include "reports/report.h"

#include <algorithm>
#include <future>
#include <ostream>

#include <fmt/format.h>

#include "matrix/stored_matrix.h"
#include "reports/html_page.h"
#include "reports/junit.h"
#include "reports/matrix_json.h"
#include "reports/report_graphs.h"
#include "reports/summary_markdown.h"
#include "reports/whole_file.h"

namespace flashgate::reports {
namespace {

void write_failures_csv(matrix::Store& store, std::int64_t run, const std::filesystem::path& path)
{
  write_whole_file(
      path, [&](std::ostream& out) { store.failures_csv(run, [&](const std::string& line) { out << line << '\n'; }); });
}

std::vector<std::string> notes(const std::vector<GraphFile>& graphs)
{
  std::vector<std::string> result;
  for (const GraphFile& graph : graphs)
    if (!graph.reason.empty())
      result.push_back(fmt::format("graph of {}{}: {}", graph.subject, graph.drawn ? "" : " not drawn", graph.reason));
  return result;
}

/// Adds a line number to "12-14, 20".
void add_line(std::string& text, int& first, int& last, int line)
{
  if (line == last + 1 && first > 0) {
    last = line;
    return;
  }
  if (first > 0)
    text += (text.empty() ? "" : ", ") + (first == last ? fmt::format("{}", first) : fmt::format("{}-{}", first, last));
  first = last = line;
}

/// The coverage of one subject, file by file.
void add_coverage(std::vector<FileCoverage>& files, const std::string& subject,
                  const std::vector<matrix::CoverageRow>& rows)
{
  int first = 0, last = 0;
  const auto finish = [&] {
    if (!files.empty() && first > 0) add_line(files.back().missing, first, last, last + 2);
    first = last = 0;
  };
  for (const matrix::CoverageRow& row : rows) {
    if (files.empty() || files.back().subject != subject || files.back().file != row.file) {
      finish();
      files.push_back({subject, row.file, 0, 0, {}});
    }
    ++files.back().lines;
    files.back().covered += row.hits > 0;
    if (row.hits == 0) add_line(files.back().missing, first, last, row.line);
  }
  finish();
}

std::vector<RunFigures> trend_of(matrix::Store& store, const matrix::RunRecord& run,
                                 const std::vector<HistorySource>& history)
{
  std::vector<RunFigures> trend{store.figures(run)};
  for (const HistorySource& source : history) {
    trend.push_back(source.store->figures(source.run));
    trend.back().database = source.database;
  }
  std::reverse(trend.begin(), trend.end());
  return trend;
}

PageContent page_content(matrix::Store& store, const RunSummary& summary, const std::vector<HistorySource>& history)
{
  PageContent page;
  page.summary = summary;
  const matrix::StoredMatrix matrix = store.matrix(summary.run.id);
  const std::vector<OlderRun> older = cell_history(matrix, history);
  page.matrix_json = matrix_json(matrix, summary.run, older);
  page.changes = find_changes(matrix, older);
  if (!history.empty()) add_deciding(page.changes, {&store, summary.run, ""}, history.front());
  page.support = find_support(matrix);
  page.trend = trend_of(store, summary.run, history);
  for (const matrix::SubjectRecord& subject : matrix.subjects)
    add_coverage(page.coverage, subject.name, store.coverage(summary.run.id, subject.id));
  return page;
}

}  // namespace

std::vector<HistorySource> older_runs(matrix::Store& store, const matrix::RunRecord& run)
{
  std::vector<HistorySource> sources;
  for (const matrix::RunRecord& other : store.runs())
    if (other.suite == run.suite && other.id < run.id && !other.finished.empty())
      sources.push_back({&store, other, ""});
  std::reverse(sources.begin(), sources.end());
  sources.resize(std::min(sources.size(), kMostOlderRuns));
  return sources;
}

std::vector<std::string> write_report(matrix::Store& store, const RunSummary& summary,
                                      const std::filesystem::path& folder, const std::vector<HistorySource>& history)
{
  make_folder(folder);
  // A Store belongs to one thread. Graphs and rows have nothing to do with each other, and a large run has many of
  // both.
  auto graphs = std::async(std::launch::async, [&] {
    matrix::Store own = matrix::Store::open_read_only(store.path());
    write_failures_csv(own, summary.run.id, folder / "failures.csv");
    return write_graph_files(own, summary.run.id, folder / "graphs");
  });
  PageContent page = page_content(store, summary, history);
  page.files.graphs = graphs.get();
  page.files.database = std::filesystem::exists(folder / "results.db");
  write_whole_file(folder / "junit.xml", [&](std::ostream& out) { out << junit_xml(summary); });
  write_whole_file(folder / "summary.md", [&](std::ostream& out) { out << markdown_summary(summary); });

  write_whole_file(folder / "index.html", [&](std::ostream& out) { write_html(out, page); });
  return notes(page.files.graphs);
}

std::vector<std::string> write_report(matrix::Store& store, const RunSummary& summary,
                                      const std::filesystem::path& folder)
{
  return write_report(store, summary, folder, older_runs(store, summary.run));
}

std::vector<std::string> write_report(matrix::Store& store, const matrix::RunRecord& run,
                                      const std::filesystem::path& folder)
{
  return write_report(store, load_summary(store, run), folder);
}

}  // namespace flashgate::reports
