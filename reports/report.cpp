#include "reports/report.h"

#include <ostream>

#include <fmt/format.h>

#include "reports/dispatch_graph.h"
#include "reports/file_names.h"
#include "reports/html_page.h"
#include "reports/junit.h"
#include "reports/render_svg.h"
#include "reports/summary_markdown.h"
#include "reports/whole_file.h"

namespace flashgate::reports {
namespace {

GraphFile write_graph_files(const std::vector<matrix::RouteRow>& routes, const std::string& subject,
                            const std::filesystem::path& stem)
{
  std::filesystem::path dot_file = stem, svg = stem;
  dot_file += ".dot";
  svg += ".svg";
  const DispatchGraph graph = build_graph(routes);
  write_whole_file(dot_file, [&](std::ostream& out) { write_dot(out, graph, subject); });
  const Rendering rendering = render_svg(dot_file, svg);
  // A picture of an earlier run must not stand beside the DOT text of this one.
  std::error_code ignored;
  if (!rendering.done) std::filesystem::remove(svg, ignored);
  return {subject, stem.filename().string(), rendering.done, rendering.reason};
}

std::vector<GraphFile> write_graph_folder(matrix::Store& store, std::int64_t run, const std::filesystem::path& folder)
{
  make_folder(folder);
  const std::vector<matrix::SubjectRecord> subjects = store.subjects(run);
  std::vector<std::string> names;
  for (const matrix::SubjectRecord& subject : subjects)
    names.push_back(subject.name);
  const std::vector<std::string> stems = distinct_file_names(names);
  std::vector<GraphFile> graphs;
  for (std::size_t i = 0; i < subjects.size(); ++i)
    graphs.push_back(write_graph_files(store.routes(run, subjects[i].id), subjects[i].name, folder / stems[i]));
  return graphs;
}

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

}  // namespace

std::vector<std::string> write_report(matrix::Store& store, const matrix::RunRecord& run,
                                      const std::filesystem::path& folder)
{
  return write_report(store, load_summary(store, run), folder);
}

std::vector<std::string> write_report(matrix::Store& store, const RunSummary& summary,
                                      const std::filesystem::path& folder)
{
  make_folder(folder);
  PageFiles files;
  files.graphs = write_graph_folder(store, summary.run.id, folder / "graphs");
  files.database = std::filesystem::exists(folder / "results.db");
  write_failures_csv(store, summary.run.id, folder / "failures.csv");
  write_whole_file(folder / "junit.xml", [&](std::ostream& out) { out << junit_xml(summary); });
  write_whole_file(folder / "summary.md", [&](std::ostream& out) { out << markdown_summary(summary); });

  write_whole_file(folder / "index.html", [&](std::ostream& out) { write_html(out, summary, files); });
  return notes(files.graphs);
}

}  // namespace flashgate::reports
