#include <map>

#include "gpu/emulator/decode/instruction_builder.h"

namespace flashgate::gpu::decode {

SpecialRegister special_register(std::string_view name)
{
  using S = SpecialRegister;
  static const std::map<std::string_view, S> kNames{
      {"%tid.x", S::tid_x},
      {"%tid.y", S::tid_y},
      {"%tid.z", S::tid_z},
      {"%ntid.x", S::ntid_x},
      {"%ntid.y", S::ntid_y},
      {"%ntid.z", S::ntid_z},
      {"%ctaid.x", S::ctaid_x},
      {"%ctaid.y", S::ctaid_y},
      {"%ctaid.z", S::ctaid_z},
      {"%nctaid.x", S::nctaid_x},
      {"%nctaid.y", S::nctaid_y},
      {"%nctaid.z", S::nctaid_z},
      {"%laneid", S::laneid},
      {"%warpid", S::warpid},
      {"%nwarpid", S::nwarpid},
      {"%smid", S::smid},
      {"%nsmid", S::nsmid},
      {"%gridid", S::gridid},
      {"%lanemask_eq", S::lanemask_eq},
      {"%lanemask_le", S::lanemask_le},
      {"%lanemask_lt", S::lanemask_lt},
      {"%lanemask_ge", S::lanemask_ge},
      {"%lanemask_gt", S::lanemask_gt},
      {"%total_smem_size", S::total_smem_size},
      {"%dynamic_smem_size", S::dynamic_smem_size},
      // Clusters are of one block.
      {"%clusterid.x", S::ctaid_x},
      {"%clusterid.y", S::ctaid_y},
      {"%clusterid.z", S::ctaid_z},
      {"%nclusterid.x", S::nctaid_x},
      {"%nclusterid.y", S::nctaid_y},
      {"%nclusterid.z", S::nctaid_z},
      {"%cluster_ctaid.x", S::zero},
      {"%cluster_ctaid.y", S::zero},
      {"%cluster_ctaid.z", S::zero},
      {"%cluster_ctarank", S::zero},
      {"%cluster_nctaid.x", S::one},
      {"%cluster_nctaid.y", S::one},
      {"%cluster_nctaid.z", S::one},
      {"%cluster_nctarank", S::one},
      // Cooperative launches: the halves of the grid workspace's address.
      {"%envreg1", S::grid_workspace_high},
      {"%envreg2", S::grid_workspace_low},
  };
  const auto found = kNames.find(name);
  if (found == kNames.end()) throw Unsupported{"special register " + std::string(name)};
  return found->second;
}

}  // namespace flashgate::gpu::decode
