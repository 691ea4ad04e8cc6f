#include "gpu/emulator/ptx/type.h"

#include <algorithm>
#include <array>
#include <cstddef>

namespace flashgate::gpu::ptx {
namespace {

struct TypeRow
{
  std::string_view name;
  int size;
};

/// In the order of the enumeration.
constexpr std::array<TypeRow, 32> kTypes{{
    {"none", 0},   {"pred", 1},   {"b8", 1},         {"b16", 2},     {"b32", 4},   {"b64", 8},  {"b128", 16},
    {"u8", 1},     {"u16", 2},    {"u32", 4},        {"u64", 8},     {"s8", 1},    {"s16", 2},  {"s32", 4},
    {"s64", 8},    {"u16x2", 4},  {"s16x2", 4},      {"f16", 2},     {"f16x2", 4}, {"bf16", 2}, {"bf16x2", 4},
    {"tf32", 4},   {"f32", 4},    {"f32x2", 8},      {"f64", 8},     {"e4m3", 1},  {"e5m2", 1}, {"e4m3x2", 2},
    {"e5m2x2", 2}, {"texref", 8}, {"samplerref", 8}, {"surfref", 8},
}};
static_assert(kTypes.size() == static_cast<std::size_t>(Type::surfref) + 1);

/// In the order of the enumeration.
constexpr std::array<std::string_view, 8> kSpaces{"generic", "reg",   "sreg",  "const",
                                                  "global",  "local", "param", "shared"};

}  // namespace

int size_in_bytes(Type type) { return kTypes[static_cast<std::size_t>(type)].size; }

std::string_view name_of(Type type) { return kTypes[static_cast<std::size_t>(type)].name; }

std::string_view name_of(StateSpace space) { return kSpaces[static_cast<std::size_t>(space)]; }

Type type_named(std::string_view name)
{
  const auto row = std::find_if(kTypes.begin(), kTypes.end(), [&](const TypeRow& type) { return type.name == name; });
  return row == kTypes.end() ? Type::none : static_cast<Type>(row - kTypes.begin());
}

StateSpace space_named(std::string_view name)
{
  const std::string_view first = name.substr(0, name.find("::"));
  const auto space = std::find(kSpaces.begin(), kSpaces.end(), first);
  return space == kSpaces.end() ? StateSpace::generic : static_cast<StateSpace>(space - kSpaces.begin());
}

}  // namespace flashgate::gpu::ptx
