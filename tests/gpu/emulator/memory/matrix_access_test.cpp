#include <doctest/doctest.h>

#include "gpu/emulator/memory/address.h"
#include "tests/gpu/emulator/memory/memory_fixture.h"

namespace flashgate::gpu {
namespace {

/// Rows of 16 bytes, 48 apart, in an order of their own: matrix m's row r is at row_offset(8 m + r).
std::uint64_t row_offset(std::size_t row) { return (row * 7 % 32) * 48; }

MemoryFixture::Lanes<std::uint64_t> row_addresses()
{
  MemoryFixture::Lanes<std::uint64_t> addresses{};
  for (std::size_t row = 0; row < addresses.size(); ++row)
    addresses[row] = row_offset(row);
  return addresses;
}

std::uint16_t element(std::size_t matrix, std::size_t row, std::size_t column)
{
  return static_cast<std::uint16_t>(matrix * 1000 + row * 10 + column);
}

/// PTX ISA, ldmatrix: register m of lane l holds row l / 4, columns 2 (l % 4) and the next; transposed: the element
/// with row and column exchanged.
std::uint32_t fragment(std::size_t matrix, std::size_t lane, bool transposed)
{
  const std::size_t row = lane / 4;
  const std::size_t column = 2 * (lane % 4);
  const auto at = [&](std::size_t c) { return transposed ? element(matrix, c, row) : element(matrix, row, c); };
  return at(column) | std::uint32_t{at(column + 1)} << 16;
}

std::byte* shared_element(MemoryFixture& f, std::size_t matrix, std::size_t row, std::size_t column)
{
  return f.block().shared.data() + row_offset(8 * matrix + row) + 2 * column;
}

template <typename Use>
void for_elements(std::size_t matrices, const Use& use)
{
  for (std::size_t m = 0; m < matrices; ++m) {
    for (std::size_t r = 0; r < 8; ++r) {
      for (std::size_t c = 0; c < 8; ++c)
        use(m, r, c);
    }
  }
}

MemoryForm matrix_form(MemoryOperation operation, std::uint8_t count, bool transposed)
{
  MemoryForm form = operation_form(operation, 2, count);
  form.transposed = transposed;
  return form;
}

}  // namespace

TEST_CASE("ldmatrix gives every lane its elements, plain and transposed")
{
  for (const bool checked : {false, true}) {
    for (const bool transposed : {false, true}) {
      for (const std::uint8_t count : std::initializer_list<std::uint8_t>{1, 2, 4}) {
        MemoryFixture f;
        f.checked = checked;
        for_elements(count, [&](std::size_t m, std::size_t r, std::size_t c) {
          const std::uint16_t value = element(m, r, c);
          std::memcpy(shared_element(f, m, r, c), &value, 2);
          f.block().written.set(row_offset(8 * m + r) + 2 * c, 2);
        });
        f.access(f.warp(0), matrix_form(MemoryOperation::load_matrix, count, transposed), row_addresses());
        for (std::size_t m = 0; m < count; ++m) {
          for (std::size_t lane = 0; lane < 32; ++lane) {
            REQUIRE(f.lanes<std::uint32_t>(f.warp(0), static_cast<std::uint32_t>(m))[lane] ==
                    fragment(m, lane, transposed));
          }
        }
        CHECK(f.findings.findings().empty());
      }
    }
  }
}

TEST_CASE("stmatrix is the inverse of ldmatrix")
{
  for (const bool checked : {false, true}) {
    for (const bool transposed : {false, true}) {
      for (const std::uint8_t count : std::initializer_list<std::uint8_t>{1, 2, 4}) {
        MemoryFixture f;
        f.checked = checked;
        for (std::uint32_t m = 0; m < count; ++m) {
          for (std::size_t lane = 0; lane < 32; ++lane)
            f.lanes<std::uint32_t>(f.warp(0), m)[lane] = fragment(m, lane, transposed);
        }
        f.access(f.warp(0), matrix_form(MemoryOperation::store_matrix, count, transposed), row_addresses());
        for_elements(count, [&](std::size_t m, std::size_t r, std::size_t c) {
          std::uint16_t value = 0;
          std::memcpy(&value, shared_element(f, m, r, c), 2);
          REQUIRE(value == element(m, r, c));
        });
        CHECK(f.findings.findings().empty());
      }
    }
  }
}

TEST_CASE("generic addresses of rows are understood")
{
  MemoryFixture f;
  auto addresses = row_addresses();
  for (std::uint64_t& address : addresses)
    address += kSharedWindow;
  f.access(f.warp(0), matrix_form(MemoryOperation::store_matrix, 4, false), addresses);
  f.access(f.warp(0), matrix_form(MemoryOperation::load_matrix, 4, false), addresses);
  CHECK(f.findings.findings().empty());
}

TEST_CASE("rows are checked like loads: unordered writes and bytes never written")
{
  MemoryFixture f;
  f.access(f.warp(1), store_form(StateSpace::shared, 4, 4), strided(0, 16));
  f.access(f.warp(0), matrix_form(MemoryOperation::load_matrix, 4, true), strided(0, 16));
  CHECK(f.only(Check::race_shared).detail == "read of smem+0 after an unordered write by warp 1 lane 0");
  f.barrier();
  f.access(f.warp(0), matrix_form(MemoryOperation::load_matrix, 4, true), strided(0, 16));
  CHECK(f.findings.findings().size() == 1);
  f.access(f.warp(0), matrix_form(MemoryOperation::load_matrix, 1, false), strided(512 - 8, 16));
  CHECK(f.count(Check::uninit_shared) == 1);
  CHECK(f.count(Check::misaligned) == 1);
}

}  // namespace flashgate::gpu
