#include "reports/dispatch_graph.h"

#include <map>
#include <set>
#include <tuple>

namespace flashgate::reports {
namespace {

struct NodeKey
{
  GraphNode::Kind kind;
  sim::Phase phase;
  std::string text;

  auto operator<=>(const NodeKey&) const = default;
};

using EdgeKey = std::tuple<NodeKey, NodeKey, std::string>;

/// The nodes and edges found so far, ordered by key, so that the graph does not depend on the order of the routes.
struct Draft
{
  std::map<NodeKey, Traffic> nodes;
  std::map<EdgeKey, Traffic> edges;
};

bool is_better_example(const std::string& left, const std::string& right)
{
  return left.size() != right.size() ? left.size() < right.size() : left < right;
}

void add_traffic(Traffic& traffic, const matrix::RouteRow& route)
{
  const bool first = traffic.plans == 0;
  const bool equal_and_better =
      route.worst == traffic.worst && is_better_example(route.example_cell, traffic.example_cell);
  if (first || route.worst > traffic.worst || equal_and_better) traffic.example_cell = route.example_cell;
  traffic.worst = matrix::worse(traffic.worst, route.worst);
  traffic.plans += route.plans;
  if (matrix::is_failure(route.worst)) traffic.failing += route.plans;
}

NodeKey decision_key(const sim::TraceStep& step)
{
  return {GraphNode::Kind::decision, step.phase, std::string(step.decision.text())};
}

/// A route that passes a node or an edge twice counts once there.
void add_route(Draft& draft, const matrix::RouteRow& route)
{
  std::set<NodeKey> nodes;
  std::set<EdgeKey> edges;
  NodeKey from{GraphNode::Kind::start, sim::Phase::none, ""};
  std::string outcome;
  const auto go_to = [&](NodeKey to) {
    edges.emplace(from, to, outcome);
    nodes.insert({from, to});
    from = std::move(to);
  };
  for (const sim::TraceStep& step : route.steps) {
    go_to(decision_key(step));
    outcome = step.outcome.text();
  }
  go_to({GraphNode::Kind::end, sim::Phase::none, route.end});
  for (const NodeKey& key : nodes)
    add_traffic(draft.nodes[key], route);
  for (const EdgeKey& key : edges)
    add_traffic(draft.edges[key], route);
}

}  // namespace

std::strong_ordering GraphNode::compare_key(const GraphNode& other) const
{
  return std::tie(kind, phase, text) <=> std::tie(other.kind, other.phase, other.text);
}

DispatchGraph build_graph(const std::vector<matrix::RouteRow>& routes)
{
  Draft draft;
  draft.nodes[{GraphNode::Kind::start, sim::Phase::none, ""}];
  for (const matrix::RouteRow& route : routes)
    add_route(draft, route);

  DispatchGraph graph;
  std::map<NodeKey, std::size_t> index;
  for (const auto& [key, traffic] : draft.nodes) {
    index[key] = graph.nodes.size();
    graph.nodes.push_back({key.kind, key.phase, key.text, traffic});
  }
  for (const auto& [key, traffic] : draft.edges) {
    const auto& [from, to, outcome] = key;
    graph.edges.push_back({index[from], index[to], outcome, traffic});
  }
  return graph;
}

}  // namespace flashgate::reports
