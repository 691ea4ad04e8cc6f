#include "gpu/emulator/special_values.h"

#include "gpu/emulator/block.h"

namespace flashgate::gpu {
namespace {

std::uint32_t value_of(const Engine& engine, const Warp& warp, SpecialRegister which, std::uint32_t lane)
{
  const Dim3& block = engine.config.block;
  const Dim3& grid = engine.config.grid;
  const std::uint32_t thread = warp.id * isa::kLanes + lane;
  switch (which) {
    case SpecialRegister::tid_x:
      return thread % block.x;
    case SpecialRegister::tid_y:
      return thread / block.x % block.y;
    case SpecialRegister::tid_z:
      return thread / block.x / block.y;
    case SpecialRegister::ntid_x:
      return block.x;
    case SpecialRegister::ntid_y:
      return block.y;
    case SpecialRegister::ntid_z:
      return block.z;
    case SpecialRegister::ctaid_x:
      return warp.block->index.x;
    case SpecialRegister::ctaid_y:
      return warp.block->index.y;
    case SpecialRegister::ctaid_z:
      return warp.block->index.z;
    case SpecialRegister::nctaid_x:
      return grid.x;
    case SpecialRegister::nctaid_y:
      return grid.y;
    case SpecialRegister::nctaid_z:
      return grid.z;
    case SpecialRegister::laneid:
      return lane;
    case SpecialRegister::warpid:
      return warp.id;
    case SpecialRegister::nwarpid:
      return engine.memory.warps_per_block;
    case SpecialRegister::smid:
      return 0;
    case SpecialRegister::nsmid:
    case SpecialRegister::gridid:
      return 1;
    case SpecialRegister::lanemask_eq:
      return 1U << lane;
    case SpecialRegister::lanemask_le:
      return (2U << lane) - 1;
    case SpecialRegister::lanemask_lt:
      return (1U << lane) - 1;
    case SpecialRegister::lanemask_ge:
      return ~((1U << lane) - 1);
    case SpecialRegister::lanemask_gt:
      return ~((2U << lane) - 1);
    case SpecialRegister::total_smem_size:
      return engine.memory.shared_bytes;
    case SpecialRegister::dynamic_smem_size:
      return engine.config.dynamic_shared_bytes;
    case SpecialRegister::grid_workspace_high:
      return static_cast<std::uint32_t>(engine.grid_workspace >> 32);
    case SpecialRegister::grid_workspace_low:
      return static_cast<std::uint32_t>(engine.grid_workspace);
    case SpecialRegister::one:
      return 1;
    default:
      return 0;
  }
}

template <typename T>
void fill(const Engine& engine, Warp& warp, const SpecialSlot& special)
{
  T* const values = warp.lanes<T>(special.slot);
  for (std::uint32_t lane = 0; lane < isa::kLanes; ++lane) {
    values[lane] = static_cast<T>(value_of(engine, warp, special.which, lane));
  }
}

}  // namespace

void fill_special_slots(const Engine& engine, Warp& warp)
{
  for (const SpecialSlot& special : engine.program.special_slots) {
    switch (special.width) {
      case 2:
        fill<std::uint16_t>(engine, warp, special);
        break;
      case 4:
        fill<std::uint32_t>(engine, warp, special);
        break;
      default:
        fill<std::uint64_t>(engine, warp, special);
        break;
    }
  }
}

}  // namespace flashgate::gpu
