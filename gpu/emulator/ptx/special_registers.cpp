#include "gpu/emulator/ptx/special_registers.h"

#include <algorithm>
#include <array>

namespace flashgate::gpu::ptx {
namespace {

/// With the components x, y, z, w; a vector may also be read as a whole.
constexpr std::array<std::string_view, 8> kVectors{"%tid",       "%ntid",       "%ctaid",         "%nctaid",
                                                   "%clusterid", "%nclusterid", "%cluster_ctaid", "%cluster_nctaid"};

constexpr std::array<std::string_view, 29> kScalars{"%laneid",
                                                    "%warpid",
                                                    "%nwarpid",
                                                    "%smid",
                                                    "%nsmid",
                                                    "%gridid",
                                                    "%is_explicit_cluster",
                                                    "%cluster_ctarank",
                                                    "%cluster_nctarank",
                                                    "%lanemask_eq",
                                                    "%lanemask_le",
                                                    "%lanemask_lt",
                                                    "%lanemask_ge",
                                                    "%lanemask_gt",
                                                    "%clock",
                                                    "%clock_hi",
                                                    "%clock64",
                                                    "%globaltimer",
                                                    "%globaltimer_lo",
                                                    "%globaltimer_hi",
                                                    "%reserved_smem_offset_begin",
                                                    "%reserved_smem_offset_end",
                                                    "%reserved_smem_offset_cap",
                                                    "%reserved_smem_offset_0",
                                                    "%reserved_smem_offset_1",
                                                    "%total_smem_size",
                                                    "%aggr_smem_size",
                                                    "%dynamic_smem_size",
                                                    "%current_graph_exec"};

template <typename List>
bool contains(const List& list, std::string_view name)
{
  return std::find(list.begin(), list.end(), name) != list.end();
}

/// `stem` and a number of one or two digits up to `last`.
bool is_numbered(std::string_view name, std::string_view stem, int last)
{
  if (!name.starts_with(stem)) return false;
  const std::string_view digits = name.substr(stem.size());
  if (digits.empty() || digits.size() > 2 || digits.find_first_not_of("0123456789") != std::string_view::npos) {
    return false;
  }
  const int number = digits.size() == 1 ? digits[0] - '0' : (digits[0] - '0') * 10 + digits[1] - '0';
  return number <= last;
}

}  // namespace

bool is_special_register(std::string_view name)
{
  const std::size_t dot = name.find('.');
  const std::string_view stem = name.substr(0, dot);
  if (dot != std::string_view::npos) {
    const std::string_view component = name.substr(dot + 1);
    return component.size() == 1 && std::string_view("xyzw").find(component[0]) != std::string_view::npos &&
           contains(kVectors, stem);
  }
  if (stem.ends_with("_64")) return is_numbered(stem.substr(0, stem.size() - 3), "%pm", 7);
  return contains(kVectors, stem) || contains(kScalars, stem) || is_numbered(stem, "%envreg", 31) ||
         is_numbered(stem, "%pm", 7);
}

}  // namespace flashgate::gpu::ptx
