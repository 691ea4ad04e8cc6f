#include "gpu/emulator/decode/flow_graph.h"

#include <algorithm>

namespace flashgate::gpu::decode {
namespace {

bool ends_block(const InstructionFlow& flow)
{
  return flow.kind == FlowKind::branch || flow.kind == FlowKind::branch_table || flow.kind == FlowKind::exit;
}

bool is_guarded(const Program& program, std::int32_t at) { return program.sites[at].guard >= 0; }

/// Orders the blocks that reach the exit so that a block comes after those it leads to, the exit first.
class ReverseOrder
{
 public:
  ReverseOrder(const FlowGraph& graph, const std::vector<std::vector<std::int32_t>>& predecessors)
      : number(static_cast<std::size_t>(graph.exit()) + 1, -1)
  {
    // Depth first along the edges backwards, without recursion: graphs may be long chains.
    std::vector<std::pair<std::int32_t, std::size_t>> stack{{graph.exit(), 0}};
    std::vector<bool> seen(number.size(), false);
    seen[graph.exit()] = true;
    while (!stack.empty()) {
      auto& [block, next] = stack.back();
      if (next < predecessors[block].size()) {
        const std::int32_t before = predecessors[block][next++];
        if (!seen[before]) {
          seen[before] = true;
          stack.emplace_back(before, 0);
        }
      } else {
        blocks.push_back(block);
        stack.pop_back();
      }
    }
    std::reverse(blocks.begin(), blocks.end());
    for (std::size_t place = 0; place < blocks.size(); ++place)
      number[blocks[place]] = static_cast<int>(place);
  }

  std::vector<std::int32_t> blocks;
  std::vector<std::int32_t> number;  ///< place in `blocks`, -1 for blocks that never reach the exit
};

}  // namespace

FlowGraph::FlowGraph(const Program& program) : count_(static_cast<std::int32_t>(program.instructions.size()))
{
  find_blocks(program);
  find_successors(program);
}

void FlowGraph::find_blocks(const Program& program)
{
  std::vector<bool> leads(static_cast<std::size_t>(count_) + 1, false);
  leads[0] = true;
  for (std::int32_t at = 0; at < count_; ++at) {
    if (!ends_block(program.flow[at])) continue;
    leads[at + 1] = true;
    if (program.flow[at].kind == FlowKind::branch) leads[program.instructions[at].target] = true;
    if (program.flow[at].kind != FlowKind::branch_table) continue;
    for (const std::int32_t target : program.branch_tables[program.instructions[at].immediate])
      leads[target] = true;
  }
  block_of_.resize(count_);
  for (std::int32_t at = 0; at < count_; ++at) {
    if (leads[at]) begins_.push_back(at);
    block_of_[at] = static_cast<std::int32_t>(begins_.size()) - 1;
  }
}

void FlowGraph::find_successors(const Program& program)
{
  successors_.resize(size());
  for (std::int32_t block = 0; block < size(); ++block) {
    const std::int32_t last = end(block) - 1;
    auto& next = successors_[block];
    const InstructionFlow& flow = program.flow[last];
    if (flow.kind == FlowKind::branch) next.push_back(block_of_[program.instructions[last].target]);
    if (flow.kind == FlowKind::branch_table) {
      for (const std::int32_t target : program.branch_tables[program.instructions[last].immediate]) {
        next.push_back(block_of_[target]);
      }
    }
    if (flow.kind == FlowKind::exit) next.push_back(exit());
    const bool falls_through = !ends_block(flow) || is_guarded(program, last);
    if (falls_through) next.push_back(last + 1 < count_ ? block_of_[last + 1] : exit());
    std::sort(next.begin(), next.end());
    next.erase(std::unique(next.begin(), next.end()), next.end());
  }
}

/// Cooper, Harvey and Kennedy's dominators, on the graph with its edges turned round.
std::vector<std::int32_t> FlowGraph::post_dominators() const
{
  std::vector<std::vector<std::int32_t>> predecessors(static_cast<std::size_t>(size()) + 1);
  for (std::int32_t block = 0; block < size(); ++block) {
    for (const std::int32_t next : successors_[block])
      predecessors[next].push_back(block);
  }
  const ReverseOrder order(*this, predecessors);
  std::vector<std::int32_t> dominator(static_cast<std::size_t>(size()) + 1, -1);
  dominator[exit()] = exit();
  const auto meet = [&](std::int32_t a, std::int32_t b) {
    while (a != b) {
      while (order.number[a] > order.number[b])
        a = dominator[a];
      while (order.number[b] > order.number[a])
        b = dominator[b];
    }
    return a;
  };
  for (bool changed = true; changed;) {
    changed = false;
    for (const std::int32_t block : order.blocks) {
      if (block == exit()) continue;
      std::int32_t found = -1;
      for (const std::int32_t next : successors_[block]) {
        if (dominator[next] < 0) continue;
        found = found < 0 ? next : meet(found, next);
      }
      if (found != dominator[block]) {
        dominator[block] = found;
        changed = true;
      }
    }
  }
  return dominator;
}

void find_reconvergence(Program& program)
{
  const FlowGraph graph(program);
  const std::vector<std::int32_t> dominators = graph.post_dominators();
  for (std::int32_t block = 0; block < graph.size(); ++block) {
    const std::int32_t last = graph.end(block) - 1;
    const std::int32_t meeting = dominators[block];
    if (meeting >= 0 && meeting != graph.exit()) program.flow[last].reconvergence = graph.begin(meeting);
  }
}

}  // namespace flashgate::gpu::decode
