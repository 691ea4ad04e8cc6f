#include <ostream>

#include <fmt/format.h>

#include "reports/html_escape.h"
#include "reports/html_parts.h"
#include "reports/json_text.h"

namespace flashgate::reports {
namespace {

std::string_view kind_name(GraphNode::Kind kind)
{
  switch (kind) {
    case GraphNode::Kind::start:
      return "start";
    case GraphNode::Kind::decision:
      return "decision";
    default:
      return "end";
  }
}

/// Without scripts the picture is the file beside the page; page/graphs.js puts it into the page instead.
void write_graph(std::ostream& out, const GraphFile& graph, std::size_t number)
{
  const std::string path = graph.path.empty() ? "" : fmt::format(", path {}", html_escape(graph.path, 80));
  const std::string name = html_escape(graph.subject, 200) + path;
  const std::string note =
      graph.reason.empty() ? "" : fmt::format(" <span class=\"soft\">{}</span>", html_escape(graph.reason));
  const std::string dot = fmt::format("<a href=\"graphs/{}.dot\">DOT</a>", graph.stem);
  if (!graph.drawn) {
    out << fmt::format("<p>{}: {}, not drawn.{}</p>\n", name, dot, note);
    return;
  }
  out << fmt::format(
      "<details data-graph=\"{3}\"><summary>{0}: <a href=\"graphs/{1}.svg\">SVG</a>, {2}{4}</summary>\n"
      "<noscript><img loading=\"lazy\" src=\"graphs/{1}.svg\" alt=\"dispatch graph of {0}\"></noscript></details>\n",
      name, graph.stem, dot, number, note);
}

void write_graph_json(JsonText& json, const GraphFile& graph)
{
  json.key("subject").text(graph.subject).key("path").text(graph.path).key("svg").long_text(graph.svg);
  json.key("nodes").list(graph.graph.nodes, [&](const GraphNode& node) {
    json.array([&] { json.text(kind_name(node.kind)).text(phase_name(node.phase).text()).text(node.text); });
  });
  json.key("edges").list(graph.graph.edges, [&](const GraphEdge& edge) {
    json.array([&] {
      json.number(static_cast<std::int64_t>(edge.from)).number(static_cast<std::int64_t>(edge.to)).text(edge.outcome);
    });
  });
}

}  // namespace

void write_graphs(std::ostream& out, const PageFiles& files)
{
  if (files.graphs.empty()) return;
  out << "<section class=\"graphs\">\n<h2 id=\"graphs\">Dispatch graphs</h2>\n<p class=\"soft\">Decisions are nodes, "
         "their outcomes edges: as wide as the plans that took them are many, coloured and signed by the worst verdict "
         "among these. A pointer on an edge shows an example cell.</p>\n";
  for (std::size_t i = 0; i < files.graphs.size(); ++i)
    write_graph(out, files.graphs[i], i);
  out << "</section>\n";
}

std::string graph_json(const std::vector<GraphFile>& graphs)
{
  JsonText json;
  json.list(graphs, [&](const GraphFile& graph) { json.object([&] { write_graph_json(json, graph); }); });
  return json.str();
}

}  // namespace flashgate::reports
