#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <iosfwd>
#include <string>
#include <string_view>
#include <vector>

#include "matrix/store.h"
#include "matrix/verdict.h"
#include "sim/dispatch/plan.h"

namespace flashgate::reports {

/// What passes through a node or an edge.
struct Traffic
{
  std::int64_t plans = 0;
  std::int64_t failing = 0;  ///< plans whose route has a failing plan; an upper bound of those that fail
  matrix::Verdict worst = matrix::Verdict::pass;
  std::string example_cell;  ///< a cell with the worst verdict, the shortest name first, then the smallest
};

/// A decision, or an end of the graph. Decisions of one name in different phases are different nodes; equal ends are
/// one.
struct GraphNode
{
  enum class Kind : std::uint8_t { start, decision, end };

  Kind kind = Kind::start;
  sim::Phase phase = sim::Phase::none;  ///< of a decision
  std::string text;                     ///< the decision's or the end's; empty for the start
  Traffic traffic;

  /// Kind, phase and text: what makes two nodes the same, also across subjects.
  std::strong_ordering compare_key(const GraphNode& other) const;
};

/// One outcome of a decision and where it led. The edge out of the start has no outcome.
struct GraphEdge
{
  std::size_t from = 0;  ///< index of a node
  std::size_t to = 0;
  std::string outcome;
  Traffic traffic;
};

/// How one subject decides: the union of its routes. Node 0 is the start.
struct DispatchGraph
{
  std::vector<GraphNode> nodes;  ///< ordered by key
  std::vector<GraphEdge> edges;  ///< ordered by from, to, outcome
};

/// Above this many nodes a graph is drawn in part. Graphviz needs seconds from a thousand nodes on, and no one reads
/// them.
inline constexpr std::size_t kMostNodes = 300;

/// Builds the graph of the routes. The order of `routes` does not matter.
DispatchGraph build_graph(const std::vector<matrix::RouteRow>& routes);

/// Writes the graph as DOT: a cluster per phase, edges as wide as their traffic (logarithmically), edges and ends
/// coloured and signed by the worst verdict that passes through (paler if only some routes fail), tooltips with an
/// example cell. Node i has the id "ni" in a picture of it, edge i "ei". The same graph gives the same bytes. Texts may
/// be anything: they are cleaned, cut and escaped.
///
/// Of more than `most_nodes` nodes those stay through which the worst verdicts pass, then those with the most plans;
/// one more node says how many were left out and takes the edges that led to them.
void write_dot(std::ostream& out, const DispatchGraph& graph, std::string_view title,
               std::size_t most_nodes = kMostNodes);

/// Writes what differs between two subjects as DOT: what only A does is dashed, what only B does is bold, what both do
/// is grey with both counts, "12 → 40", and both signs if the worst verdict changed. What differs is kept first.
void write_diff_dot(std::ostream& out, const DispatchGraph& a, const DispatchGraph& b, std::string_view name_a,
                    std::string_view name_b, std::size_t most_nodes = kMostNodes);

}  // namespace flashgate::reports
