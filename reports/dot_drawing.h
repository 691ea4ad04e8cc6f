#pragma once

#include <cstddef>
#include <cstdint>
#include <iosfwd>
#include <string>
#include <vector>

#include "reports/dispatch_graph.h"

namespace flashgate::reports {

/// A node as it will be drawn.
struct DrawnNode
{
  GraphNode::Kind kind = GraphNode::Kind::start;
  sim::Phase phase = sim::Phase::none;
  std::string attributes;  ///< DOT, without brackets
  int importance = 0;      ///< what is more important is left out later
  std::int64_t plans = 0;  ///< decides between equally important nodes
};

struct DrawnEdge
{
  std::size_t from = 0;
  std::size_t to = 0;
  std::string attributes;
};

/// A graph that is ready to be written: everything is decided but what fits.
struct Drawing
{
  std::string title;
  std::string legend;  ///< one line below the title
  std::vector<DrawnNode> nodes;
  std::vector<DrawnEdge> edges;
};

/// Writes the drawing as DOT, at most `most_nodes` of its nodes and the start, as write_dot promises.
void write_drawing(std::ostream& out, const Drawing& drawing, std::size_t most_nodes);

}  // namespace flashgate::reports
