#include <fmt/format.h>

#include "reports/dispatch_graph.h"
#include "reports/dot_drawing.h"
#include "reports/dot_text.h"
#include "reports/plain_text.h"
#include "reports/verdict_style.h"

namespace flashgate::reports {
namespace {

/// Where some routes fail and others don't, lines are paler than where all of them fail.
constexpr std::string_view kSomeFail = "#EDA877", kSomeFailText = "#A85A1F";

bool only_some_fail(const Traffic& traffic) { return traffic.failing > 0 && traffic.failing < traffic.plans; }

std::string tooltip(const Traffic& traffic)
{
  std::string text = fmt::format("{}, worst {}", count_of(traffic.plans, "plan"), verdict_name(traffic.worst));
  if (only_some_fail(traffic)) text += fmt::format(" ({} on routes with a failure)", group_digits(traffic.failing));
  return dot_string(traffic.example_cell.empty() ? text : text + ", e.g. " + traffic.example_cell);
}

std::string node_attributes(const GraphNode& node, std::string_view title)
{
  const Tone tone = tone_of(node.traffic.worst);
  const std::string plans = count_of(node.traffic.plans, "plan");
  if (node.kind == GraphNode::Kind::start)
    return fmt::format("label={}, shape=ellipse, style=filled, fillcolor=\"#EFEFEF\", tooltip={}",
                       dot_label(title, plans), dot_string(plans));
  if (node.kind == GraphNode::Kind::decision)
    return fmt::format("label={}, tooltip={}", dot_label(node.text), tooltip(node.traffic));
  return fmt::format("label={}, shape=box, style=filled, fillcolor=\"{}\", color=\"{}\", penwidth=1.6, tooltip={}",
                     dot_label(fmt::format("{} {}", tone_sign(tone), node.text), plans), tone_fill(tone),
                     only_some_fail(node.traffic) ? kSomeFail : tone_colour(tone), tooltip(node.traffic));
}

std::string edge_attributes(const GraphEdge& edge)
{
  const Tone tone = tone_of(edge.traffic.worst);
  const bool some = only_some_fail(edge.traffic);
  const std::string label =
      edge.outcome.empty() ? std::string(tone_sign(tone)) : fmt::format("{} {}", tone_sign(tone), edge.outcome);
  return fmt::format("label={}, penwidth={:.2f}, color=\"{}\", fontcolor=\"{}\", tooltip={}, labeltooltip={}",
                     dot_label(label), pen_width(edge.traffic.plans), some ? kSomeFail : tone_colour(tone),
                     some ? kSomeFailText : tone_colour(tone), tooltip(edge.traffic), tooltip(edge.traffic));
}

}  // namespace

void write_dot(std::ostream& out, const DispatchGraph& graph, std::string_view title, std::size_t most_nodes)
{
  Drawing drawing;
  drawing.title = title;
  drawing.legend =
      "✗ routes fail here (pale: some, dark: all)   ! a warning   – not supported or skipped   ✓ all pass   width: "
      "plans";
  for (const GraphNode& node : graph.nodes)
    drawing.nodes.push_back({node.kind, node.phase, node_attributes(node, title), static_cast<int>(node.traffic.worst),
                             node.traffic.plans});
  for (const GraphEdge& edge : graph.edges)
    drawing.edges.push_back({edge.from, edge.to, edge_attributes(edge)});
  write_drawing(out, drawing, most_nodes);
}

}  // namespace flashgate::reports
