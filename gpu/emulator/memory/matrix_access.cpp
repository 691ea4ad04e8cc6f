#include <cstring>

#include "gpu/emulator/memory/access_checks.h"
#include "gpu/emulator/memory/access_counters.h"
#include "gpu/emulator/memory/handlers.h"

/// ldmatrix and stmatrix: matrices of 8 rows of 16 bytes. Lane 8 m + r holds the address of row r of matrix m; in
/// registers lane 4 r + c holds elements 2 c and 2 c + 1 of row r (transposed: of column r).
namespace flashgate::gpu {
namespace {

constexpr std::uint32_t kRows = 8;
constexpr std::uint32_t kRowBytes = 16;
using Halves = std::uint16_t __attribute__((vector_size(16)));

/// `rows` become columns: three rounds that interleave halves of the matrix.
void transpose(std::array<Halves, kRows>& rows)
{
  for (int round = 0; round < 3; ++round) {
    std::array<Halves, kRows> mixed;
    for (std::size_t i = 0; i < kRows / 2; ++i) {
      const Halves a = rows[i];
      const Halves b = rows[i + kRows / 2];
      mixed[2 * i] = __builtin_shufflevector(a, b, 0, 8, 1, 9, 2, 10, 3, 11);
      mixed[2 * i + 1] = __builtin_shufflevector(a, b, 4, 12, 5, 13, 6, 14, 7, 15);
    }
    rows = mixed;
  }
}

void load_rows(std::byte* to, std::byte* const* rows, bool transposed)
{
  std::array<Halves, kRows> matrix;
  for (std::size_t r = 0; r < kRows; ++r)
    std::memcpy(&matrix[r], rows[r], kRowBytes);
  if (transposed) transpose(matrix);
  std::memcpy(to, matrix.data(), sizeof matrix);
}

/// The lanes whose addresses count.
isa::LaneMask address_lanes(const FormWord& form)
{
  const std::uint32_t rows = kRows * form.count();
  return rows == isa::kLanes ? isa::kAllLanes : (1U << rows) - 1;
}

/// Addresses of rows, always in shared memory, whatever form they come in.
Request read_row_addresses(const MemoryWarp& warp, const isa::Instruction& instruction, const FormWord& form,
                           isa::LaneMask lanes, bool is_write, LaneAddresses& addresses)
{
  read_addresses(warp, instruction, form.wide_address(), lanes, addresses);
  const bool window = space_of(addresses[__builtin_ctz(lanes)]) == StateSpace::shared;
  return {StateSpace::shared, kRowBytes, is_write, window};
}

template <bool kChecked>
void load_matrix(isa::Registers& registers, const isa::Instruction& instruction, isa::LaneMask mask)
{
  auto& warp = static_cast<MemoryWarp&>(registers);
  const FormWord form(instruction.a);
  const isa::LaneMask lanes = mask & address_lanes(form);
  if (lanes == 0) return;
  alignas(64) LaneAddresses addresses;
  const Request request = read_row_addresses(warp, instruction, form, lanes, false, addresses);
  LanePointers pointers;
  locate(warp, instruction, lanes, request, addresses, pointers);
  if constexpr (kChecked) {
    count_access(*warp.context, request, addresses, lanes);
    AccessChecks checks(warp, instruction, form, request, pointers);
    checks.aligned(addresses, lanes, kRowBytes);
    checks.reads();
  }
  for (std::size_t m = 0; m < form.count(); ++m) {
    alignas(16) std::array<std::byte, kRows * kRowBytes> matrix;
    load_rows(matrix.data(), &pointers.at[kRows * m], form.transposed());
    std::byte* to = warp.values + instruction.slot[m];
    if (mask == isa::kAllLanes) {
      std::memcpy(to, matrix.data(), matrix.size());
    } else {
      for_lanes(mask, [&](std::uint32_t lane) { std::memcpy(to + 4 * lane, matrix.data() + 4 * lane, 4); });
    }
  }
}

template <bool kChecked>
void store_matrix(isa::Registers& registers, const isa::Instruction& instruction, isa::LaneMask mask)
{
  auto& warp = static_cast<MemoryWarp&>(registers);
  const FormWord form(instruction.a);
  const isa::LaneMask lanes = mask & address_lanes(form);
  if (lanes == 0) return;
  alignas(64) LaneAddresses addresses;
  const Request request = read_row_addresses(warp, instruction, form, lanes, true, addresses);
  LanePointers pointers;
  locate(warp, instruction, lanes, request, addresses, pointers);
  AccessChecks checks(warp, instruction, form, request, pointers);
  if constexpr (kChecked) {
    count_access(*warp.context, request, addresses, lanes);
    checks.aligned(addresses, lanes, kRowBytes);
  }
  for (std::uint32_t m = 0; m < form.count(); ++m) {
    std::array<Halves, kRows> matrix;
    std::memcpy(matrix.data(), warp.values + instruction.slot[m], sizeof matrix);
    if (form.transposed()) transpose(matrix);
    for (std::uint32_t lane = kRows * m; lane < kRows * (m + 1); ++lane) {
      if ((pointers.good >> lane & 1U) == 0) continue;
      const auto* row = reinterpret_cast<const std::byte*>(&matrix[lane % kRows]);
      if constexpr (kChecked) checks.write(lane, row);
      std::memcpy(pointers.at[lane], row, kRowBytes);
    }
  }
}

}  // namespace

isa::Handler matrix_handler(const MemoryForm& form, bool checked)
{
  if (form.count != 1 && form.count != 2 && form.count != 4) return nullptr;
  if (form.operation == MemoryOperation::load_matrix) return checked ? load_matrix<true> : load_matrix<false>;
  return checked ? store_matrix<true> : store_matrix<false>;
}

}  // namespace flashgate::gpu
