#include "gpu/emulator/decode/modifiers.h"

#include <algorithm>
#include <array>

namespace flashgate::gpu::decode {

bool Modifiers::take(std::string_view word)
{
  for (std::size_t place = 1; place < parts_->size() && place < 64; ++place) {
    if (is_taken(place) || (*parts_)[place] != word) continue;
    taken_ |= std::uint64_t{1} << place;
    return true;
  }
  return false;
}

bool Modifiers::take_prefix(std::string_view prefix)
{
  for (std::size_t place = 1; place < parts_->size() && place < 64; ++place) {
    if (is_taken(place) || !(*parts_)[place].starts_with(prefix)) continue;
    taken_ |= std::uint64_t{1} << place;
    return true;
  }
  return false;
}

isa::Type Modifiers::take_type()
{
  for (std::size_t place = 1; place < parts_->size() && place < 64; ++place) {
    if (is_taken(place)) continue;
    const isa::Type type = isa_type((*parts_)[place]);
    if (type == isa::Type::none) continue;
    taken_ |= std::uint64_t{1} << place;
    return type;
  }
  return isa::Type::none;
}

ptx::Type Modifiers::take_ptx_type()
{
  for (std::size_t place = 1; place < parts_->size() && place < 64; ++place) {
    if (is_taken(place)) continue;
    const ptx::Type type = ptx::type_named((*parts_)[place]);
    if (type == ptx::Type::none) continue;
    taken_ |= std::uint64_t{1} << place;
    return type;
  }
  return ptx::Type::none;
}

bool Modifiers::all_taken() const
{
  for (std::size_t place = 0; place < parts_->size(); ++place) {
    if (place >= 64 || !is_taken(place)) return false;
  }
  return true;
}

isa::Type isa_type(std::string_view name)
{
  using isa::Type;
  static constexpr std::array<std::pair<std::string_view, Type>, 23> kTypes{{
      {"pred", Type::pred},     {"b8", Type::b8},       {"b16", Type::b16},     {"b32", Type::b32},
      {"b64", Type::b64},       {"u8", Type::u8},       {"u16", Type::u16},     {"u32", Type::u32},
      {"u64", Type::u64},       {"s8", Type::s8},       {"s16", Type::s16},     {"s32", Type::s32},
      {"s64", Type::s64},       {"f16", Type::f16},     {"f16x2", Type::f16x2}, {"bf16", Type::bf16},
      {"bf16x2", Type::bf16x2}, {"tf32", Type::tf32},   {"f32", Type::f32},     {"f32x2", Type::f32x2},
      {"f64", Type::f64},       {"u16x2", Type::u16x2}, {"s16x2", Type::s16x2},
  }};
  const auto found = std::find_if(kTypes.begin(), kTypes.end(), [&](const auto& type) { return type.first == name; });
  return found == kTypes.end() ? Type::none : found->second;
}

}  // namespace flashgate::gpu::decode
