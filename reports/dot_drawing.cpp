#include "reports/dot_drawing.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <ostream>
#include <utility>

#include <fmt/format.h>

#include "reports/dot_text.h"
#include "reports/plain_text.h"

namespace flashgate::reports {
namespace {

constexpr std::string_view kLeftOut = "left_out";

struct PhaseTitle
{
  sim::Phase phase;
  std::string_view id, title;
};

constexpr PhaseTitle kPhases[] = {{sim::Phase::import, "import", "import"},
                                  {sim::Phase::forward, "fwd", "first forward"},
                                  {sim::Phase::second_forward, "second_fwd", "second forward"},
                                  {sim::Phase::backward, "bwd", "backward"}};

/// For each node whether it is drawn.
std::vector<bool> choose_nodes(const std::vector<DrawnNode>& nodes, std::size_t most_nodes)
{
  std::vector<std::size_t> order(nodes.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t left, std::size_t right) {
    return std::pair(nodes[left].importance, nodes[left].plans) >
           std::pair(nodes[right].importance, nodes[right].plans);
  });
  std::vector<bool> kept(nodes.size());
  for (std::size_t i = 0; i < std::min(most_nodes, order.size()); ++i)
    kept[order[i]] = true;
  for (std::size_t i = 0; i < nodes.size(); ++i)
    if (nodes[i].kind == GraphNode::Kind::start) kept[i] = true;
  return kept;
}

void write_header(std::ostream& out, const Drawing& drawing)
{
  out << "digraph dispatch {\n"
         "  graph [rankdir=TB, newrank=true, bgcolor=white, fontname=\"Helvetica,Arial,sans-serif\", fontsize=18,\n"
         "         labelloc=t, labeljust=l, nodesep=0.25, ranksep=0.4, tooltip=\" \",\n"
         "         label="
      << '"' << dot_line(drawing.title) << "\\l" << dot_line(drawing.legend) << "\\l\"];\n"
      << "  node [shape=box, style=\"rounded,filled\", fillcolor=white, color=\"#555555\", fontsize=12,\n"
         "        fontname=\"Helvetica,Arial,sans-serif\", margin=\"0.14,0.07\"];\n"
         "  edge [fontsize=11, fontname=\"Helvetica,Arial,sans-serif\", arrowsize=0.7];\n";
}

/// Writes drawings node by node; remembers which nodes are left out.
class DrawingWriter
{
 public:
  DrawingWriter(std::ostream& out, const Drawing& drawing, std::size_t most_nodes)
      : out_(out), drawing_(drawing), kept_(choose_nodes(drawing.nodes, most_nodes))
  {
  }

  void write()
  {
    write_header(out_, drawing_);
    write_nodes(GraphNode::Kind::start, sim::Phase::none, "  ");
    write_nodes(GraphNode::Kind::decision, sim::Phase::none, "  ");
    for (const PhaseTitle& phase : kPhases)
      write_cluster(phase);
    write_nodes(GraphNode::Kind::end, sim::Phase::none, "  ");
    write_left_out_node();
    write_edges();
    out_ << "}\n";
  }

 private:
  bool has_nodes(GraphNode::Kind kind, sim::Phase phase) const
  {
    for (std::size_t i = 0; i < drawing_.nodes.size(); ++i)
      if (is_drawn_in(i, kind, phase)) return true;
    return false;
  }

  bool is_drawn_in(std::size_t i, GraphNode::Kind kind, sim::Phase phase) const
  {
    const DrawnNode& node = drawing_.nodes[i];
    return kept_[i] && node.kind == kind && node.phase == phase;
  }

  void write_nodes(GraphNode::Kind kind, sim::Phase phase, std::string_view indent)
  {
    for (std::size_t i = 0; i < drawing_.nodes.size(); ++i)
      if (is_drawn_in(i, kind, phase))
        out_ << fmt::format("{0}n{1} [id=\"n{1}\", {2}];\n", indent, i, drawing_.nodes[i].attributes);
  }

  void write_cluster(const PhaseTitle& phase)
  {
    if (!has_nodes(GraphNode::Kind::decision, phase.phase)) return;
    out_ << fmt::format(
        "  subgraph cluster_{} {{\n    graph [label=\"{}\", fontsize=14, style=\"rounded,filled\", color=\"#C8C8C8\", "
        "fillcolor=\"#F7F7F7\", tooltip=\"{}\"];\n",
        phase.id, phase.title, phase.title);
    write_nodes(GraphNode::Kind::decision, phase.phase, "    ");
    out_ << "  }\n";
  }

  void write_left_out_node()
  {
    const auto count = std::count(kept_.begin(), kept_.end(), false);
    if (count == 0) return;
    out_ << "  " << kLeftOut
         << fmt::format(
                " [label=\"{} left out\", style=\"dashed\", tooltip=\"the graph is too large to be drawn whole\"];\n",
                count_of(count, "node"));
  }

  void write_edges()
  {
    std::map<std::pair<std::string, std::string>, int> cut;
    for (std::size_t i = 0; i < drawing_.edges.size(); ++i) {
      const DrawnEdge& edge = drawing_.edges[i];
      const std::string from = node_id(edge.from), to = node_id(edge.to);
      if (kept_[edge.from] && kept_[edge.to])
        out_ << fmt::format("  {} -> {} [id=\"e{}\", {}];\n", from, to, i, edge.attributes);
      else if (from != to)
        ++cut[{from, to}];
    }
    for (const auto& [ends, count] : cut)
      out_ << fmt::format("  {} -> {} [style=dashed, color=\"#999999\", label=\"{}\"];\n", ends.first, ends.second,
                          count_of(count, "edge"));
  }

  std::string node_id(std::size_t i) const { return kept_[i] ? "n" + std::to_string(i) : std::string(kLeftOut); }

  std::ostream& out_;
  const Drawing& drawing_;
  std::vector<bool> kept_;
};

}  // namespace

void write_drawing(std::ostream& out, const Drawing& drawing, std::size_t most_nodes)
{
  DrawingWriter(out, drawing, most_nodes).write();
}

}  // namespace flashgate::reports
