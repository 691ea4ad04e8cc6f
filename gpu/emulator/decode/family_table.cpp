#include <algorithm>
#include <array>
#include <unordered_map>

#include "gpu/emulator/decode/family.h"

namespace flashgate::gpu::decode {
namespace {

constexpr std::array kTopics{
    arithmetic_families, function_families,   bit_families,     comparison_families, move_families,
    conversion_families, warp_families,       matrix_families,  load_store_families, address_families,
    atomic_families,     async_copy_families, control_families, barrier_families,    hint_families,
};

}  // namespace

const Family* find_family(std::string_view base)
{
  static const std::unordered_map<std::string_view, const Family*> kFamilies = [] {
    std::unordered_map<std::string_view, const Family*> families;
    for (const auto& topic : kTopics) {
      for (const Family& family : topic())
        families.emplace(family.base, &family);
    }
    return families;
  }();
  const auto found = kFamilies.find(base);
  return found == kFamilies.end() ? nullptr : found->second;
}

}  // namespace flashgate::gpu::decode
