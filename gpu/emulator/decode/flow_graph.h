#pragma once

#include <cstdint>
#include <vector>

#include "gpu/emulator/program.h"

namespace flashgate::gpu::decode {

/// The basic blocks of a program whose branches are decoded. The last number, exit(), stands for the end of the thread.
class FlowGraph
{
 public:
  explicit FlowGraph(const Program& program);

  std::int32_t size() const { return static_cast<std::int32_t>(begins_.size()); }
  std::int32_t exit() const { return size(); }
  std::int32_t begin(std::int32_t block) const { return begins_[block]; }
  std::int32_t end(std::int32_t block) const { return block + 1 < size() ? begins_[block + 1] : count_; }
  std::int32_t block_of(std::int32_t instruction) const { return block_of_[instruction]; }
  const std::vector<std::int32_t>& successors(std::int32_t block) const { return successors_[block]; }

  /// The immediate post-dominator of each block: a block, exit(), or -1 for blocks from which no way leads to the exit.
  std::vector<std::int32_t> post_dominators() const;

 private:
  void find_blocks(const Program& program);
  void find_successors(const Program& program);

  std::int32_t count_ = 0;
  std::vector<std::int32_t> begins_;
  std::vector<std::int32_t> block_of_;
  std::vector<std::vector<std::int32_t>> successors_;
};

/// Sets InstructionFlow::reconvergence of every branch.
void find_reconvergence(Program& program);

}  // namespace flashgate::gpu::decode
