#include "reports/report_graphs.h"

#include <fstream>
#include <iterator>
#include <utility>

#include <fmt/format.h>

#include "matrix/axes.h"
#include "reports/file_names.h"
#include "reports/render_svg.h"
#include "reports/whole_file.h"

namespace flashgate::reports {
namespace {

void draw(GraphFile& file, const std::filesystem::path& folder)
{
  const std::string title = file.path.empty() ? file.subject : fmt::format("{}, path {}", file.subject, file.path);
  GraphDrawing drawing = draw_graph(folder, file.stem, [&](std::ostream& out) { write_dot(out, file.graph, title); });
  file.drawn = !drawing.svg.empty();
  file.reason = std::move(drawing.reason);
  file.svg = std::move(drawing.svg);
}

GraphFile graph_file(const std::string& subject, const std::string& path, const std::string& stem,
                     const std::vector<matrix::RouteRow>& routes)
{
  GraphFile file;
  file.subject = subject;
  file.path = path;
  file.stem = stem;
  file.graph = build_graph(routes);
  return file;
}

}  // namespace

GraphDrawing draw_graph(const std::filesystem::path& folder, const std::string& stem,
                        const std::function<void(std::ostream&)>& write_dot)
{
  const std::filesystem::path dot_file = folder / (stem + ".dot"), svg = folder / (stem + ".svg");
  write_whole_file(dot_file, write_dot);
  Rendering rendering = render_svg(dot_file, svg);
  if (!rendering.done) {
    std::error_code ignored;
    std::filesystem::remove(svg, ignored);
    return {"", std::move(rendering.reason)};
  }
  std::ifstream in(svg, std::ios::binary);
  return {{std::istreambuf_iterator<char>(in), {}}, std::move(rendering.reason)};
}

std::vector<GraphFile> write_graph_files(matrix::Store& store, std::int64_t run, const std::filesystem::path& folder)
{
  make_folder(folder);
  const std::vector<matrix::SubjectRecord> subjects = store.subjects(run);
  std::vector<std::string> names;
  for (const matrix::SubjectRecord& subject : subjects)
    names.push_back(subject.name);
  const std::vector<std::string> stems = distinct_file_names(names);
  std::vector<GraphFile> graphs;
  for (std::size_t i = 0; i < subjects.size(); ++i) {
    graphs.push_back(graph_file(subjects[i].name, "", stems[i], store.routes(run, subjects[i].id)));
    if (graphs.back().graph.nodes.size() <= kMostReadableNodes) continue;
    for (const matrix::AxisValue& path : matrix::axis(matrix::AxisId::path).values) {
      const auto routes = store.routes(run, subjects[i].id, std::string(path.text));
      if (routes.empty()) continue;
      graphs.push_back(graph_file(subjects[i].name, std::string(path.text),
                                  fmt::format("{}-{}", stems[i], safe_file_name(path.text)), routes));
    }
  }
  for (GraphFile& graph : graphs)
    draw(graph, folder);
  return graphs;
}

}  // namespace flashgate::reports
