#include <algorithm>
#include <map>
#include <tuple>

#include <fmt/format.h>

#include "reports/dispatch_graph.h"
#include "reports/dot_drawing.h"
#include "reports/dot_text.h"
#include "reports/plain_text.h"
#include "reports/verdict_style.h"

namespace flashgate::reports {
namespace {

/// Traffic in A and in B. No plans on one side: it isn't there.
struct Sides
{
  Traffic a, b;

  bool only_a() const { return b.plans == 0; }
  bool only_b() const { return a.plans == 0; }
  bool differs() const { return only_a() || only_b(); }
  matrix::Verdict worst() const { return matrix::worse(a.worst, b.worst); }
};

struct DiffNode
{
  GraphNode node;  ///< its traffic is not used
  Sides sides;
};

using DiffEdges = std::map<std::tuple<std::size_t, std::size_t, std::string>, Sides>;

/// The nodes of both graphs merged by key, and where each graph's nodes went.
struct MergedNodes
{
  std::vector<DiffNode> nodes;
  std::vector<std::size_t> index_a, index_b;
};

MergedNodes merge_nodes(const DispatchGraph& a, const DispatchGraph& b)
{
  MergedNodes merged;
  for (std::size_t i = 0, j = 0; i < a.nodes.size() || j < b.nodes.size();) {
    const bool take_a = j == b.nodes.size() || (i < a.nodes.size() && a.nodes[i].compare_key(b.nodes[j]) <= 0);
    const bool take_b = i == a.nodes.size() || (j < b.nodes.size() && b.nodes[j].compare_key(a.nodes[i]) <= 0);
    DiffNode node{take_a ? a.nodes[i] : b.nodes[j], {}};
    if (take_a) {
      node.sides.a = a.nodes[i++].traffic;
      merged.index_a.push_back(merged.nodes.size());
    }
    if (take_b) {
      node.sides.b = b.nodes[j++].traffic;
      merged.index_b.push_back(merged.nodes.size());
    }
    merged.nodes.push_back(std::move(node));
  }
  return merged;
}

DiffEdges merge_edges(const DispatchGraph& a, const DispatchGraph& b, const MergedNodes& merged)
{
  DiffEdges edges;
  for (const GraphEdge& edge : a.edges)
    edges[{merged.index_a[edge.from], merged.index_a[edge.to], edge.outcome}].a = edge.traffic;
  for (const GraphEdge& edge : b.edges)
    edges[{merged.index_b[edge.from], merged.index_b[edge.to], edge.outcome}].b = edge.traffic;
  return edges;
}

/// "✗→✓" if the worst verdict changed, else one sign.
std::string signs(const Sides& sides)
{
  if (sides.only_a()) return std::string(verdict_sign(sides.a.worst));
  if (sides.only_b() || tone_of(sides.a.worst) == tone_of(sides.b.worst))
    return std::string(verdict_sign(sides.b.worst));
  return fmt::format("{}→{}", verdict_sign(sides.a.worst), verdict_sign(sides.b.worst));
}

std::string counts(const Sides& sides)
{
  if (sides.a.plans == sides.b.plans) return group_digits(sides.a.plans);
  return fmt::format("{} → {}", group_digits(sides.a.plans), group_digits(sides.b.plans));
}

std::string plans(const Sides& sides)
{
  return sides.a.plans == sides.b.plans ? count_of(sides.a.plans, "plan") : counts(sides) + " plans";
}

std::string line_style(const Sides& sides) { return sides.only_a() ? "dashed" : sides.only_b() ? "bold" : "solid"; }

std::string line_colour(const Sides& sides)
{
  return std::string(sides.differs() ? tone_colour(tone_of(sides.worst())) : "#999999");
}

std::string tooltip(const Sides& sides)
{
  const Traffic& shown = sides.only_b() || sides.b.worst > sides.a.worst ? sides.b : sides.a;
  return dot_string(fmt::format("{}, worst {}, e.g. {}", plans(sides), verdict_name(shown.worst), shown.example_cell));
}

std::string node_attributes(const DiffNode& diff, std::string_view names)
{
  const GraphNode& node = diff.node;
  if (node.kind == GraphNode::Kind::start)
    return fmt::format("label={}, shape=ellipse, style=filled, fillcolor=\"#EFEFEF\", tooltip={}",
                       dot_label(names, plans(diff.sides)), tooltip(diff.sides));
  const std::string common = fmt::format("color=\"{}\", penwidth={}, tooltip={}", line_colour(diff.sides),
                                         diff.sides.only_b() ? "2.5" : "1.0", tooltip(diff.sides));
  if (node.kind == GraphNode::Kind::decision)
    return fmt::format("label={}, style=\"rounded,filled,{}\", {}", dot_label(node.text), line_style(diff.sides),
                       common);
  return fmt::format("label={}, style=\"filled,{}\", fillcolor=\"{}\", {}",
                     dot_label(signs(diff.sides) + " " + node.text, plans(diff.sides)), line_style(diff.sides),
                     diff.sides.differs() ? tone_fill(tone_of(diff.sides.worst())) : "white", common);
}

std::string edge_attributes(const std::string& outcome, const Sides& sides)
{
  const std::int64_t plans = std::max(sides.a.plans, sides.b.plans);
  const double width = std::max(pen_width(plans), sides.only_b() ? 2.5 : 1.0);
  return fmt::format("label={}, style={}, penwidth={:.2f}, color=\"{}\", fontcolor=\"{}\", tooltip={}",
                     dot_label(signs(sides) + " " + outcome, counts(sides)), line_style(sides), width,
                     line_colour(sides), sides.differs() ? line_colour(sides) : "#555555", tooltip(sides));
}

/// What differs comes before what is common, then the worse.
int importance(const Sides& sides) { return (sides.differs() ? 100 : 0) + static_cast<int>(sides.worst()); }

}  // namespace

void write_diff_dot(std::ostream& out, const DispatchGraph& a, const DispatchGraph& b, std::string_view name_a,
                    std::string_view name_b, std::size_t most_nodes)
{
  const MergedNodes merged = merge_nodes(a, b);
  Drawing drawing;
  drawing.title = fmt::format("{} → {}", name_a, name_b);
  drawing.legend = fmt::format("dashed: only {}   bold: only {}   grey: both   counts: plans", name_a, name_b);
  for (const DiffNode& diff : merged.nodes)
    drawing.nodes.push_back({diff.node.kind, diff.node.phase, node_attributes(diff, drawing.title),
                             importance(diff.sides), diff.sides.a.plans + diff.sides.b.plans});
  for (const auto& [key, sides] : merge_edges(a, b, merged)) {
    const auto& [from, to, outcome] = key;
    drawing.edges.push_back({from, to, edge_attributes(outcome, sides)});
  }
  write_drawing(out, drawing, most_nodes);
}

}  // namespace flashgate::reports
