#pragma once

#include <memory>
#include <vector>

#include "gpu/emulator/block.h"

namespace flashgate::gpu {

/// Gives the blocks of a launch their places on the device and their warps their turns, on the calling thread.
///
/// A seed of 0 means blocks by number and warps in turn; any other seed draws the order of blocks, and of warps each
/// time that another one is to run.
class Scheduler
{
 public:
  explicit Scheduler(Engine& engine);

  /// Runs all blocks. Throws LaunchEnded where the launch has to be given up.
  void run();

 private:
  void order_blocks();
  void make_places();
  std::unique_ptr<Block> make_place();
  bool start_next(Block& block);
  void start_warps(Block& block);
  void fill_constants(Warp& warp) const;

  /// Runs warps of the block until it can't go on, ends, or others should have a turn. False if nothing of it could
  /// run.
  bool run_block(Block& block);
  Warp* next_warp(Block& block);
  void end_block(Block& block);
  void check_budgets();
  void force_any();

  Engine& engine_;
  std::vector<std::uint32_t> order_;  ///< empty: by number
  std::uint32_t block_count_ = 0;
  std::uint32_t next_ = 0;
  std::vector<std::unique_ptr<Block>> places_;
};

}  // namespace flashgate::gpu
