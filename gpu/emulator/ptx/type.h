#pragma once

#include <cstdint>
#include <string_view>

namespace flashgate::gpu::ptx {

/// Where a variable lives. `generic` stands for an address without a space.
enum class StateSpace : std::uint8_t { generic, reg, sreg, constant, global, local, param, shared };

/// Fundamental and packed types, named as PTX spells them without the dot. `none`: not a type.
enum class Type : std::uint8_t {
  none,
  pred,
  b8,
  b16,
  b32,
  b64,
  b128,
  u8,
  u16,
  u32,
  u64,
  s8,
  s16,
  s32,
  s64,
  u16x2,
  s16x2,
  f16,
  f16x2,
  bf16,
  bf16x2,
  tf32,
  f32,
  f32x2,
  f64,
  e4m3,
  e5m2,
  e4m3x2,
  e5m2x2,
  texref,
  samplerref,
  surfref,
};

/// Size in memory; 1 for pred, 8 for the opaque references, 0 for none.
int size_in_bytes(Type type);

/// The type that `name` (without dot) spells, or Type::none.
Type type_named(std::string_view name);

/// As PTX spells it, without the dot; "none" for Type::none.
std::string_view name_of(Type type);

/// The space that `name` (without dot: "const", "shared", "shared::cta", "param::entry", ...) spells, or generic.
StateSpace space_named(std::string_view name);

/// As PTX spells it, without the dot; "generic" for the generic space.
std::string_view name_of(StateSpace space);

}  // namespace flashgate::gpu::ptx
