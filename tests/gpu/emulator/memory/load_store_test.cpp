#include <doctest/doctest.h>

#include "gpu/emulator/memory/address.h"
#include "tests/gpu/emulator/memory/memory_fixture.h"

namespace flashgate::gpu {
namespace {

/// The byte that a test memory has at `offset`.
std::byte pattern(std::size_t offset) { return static_cast<std::byte>(offset * 37 + 11); }

/// What the bytes at `offset` are as a number, extended to `register_bytes`.
std::uint64_t expected(std::size_t offset, const MemoryForm& form)
{
  std::uint64_t value = 0;
  for (std::size_t i = form.element_bytes; i-- > 0;)
    value = value << 8 | static_cast<std::uint64_t>(pattern(offset + i));
  const bool negative = (value >> (8 * form.element_bytes - 1) & 1) != 0;
  if (form.sign_extend && negative && form.element_bytes < 8) value |= ~0ULL << 8 * form.element_bytes;
  return form.register_bytes == 8 ? value : value & ((1ULL << 8 * form.register_bytes) - 1);
}

std::uint64_t register_value(MemoryFixture& f, MemoryWarp& warp, std::uint32_t number, std::uint8_t bytes, int lane)
{
  std::uint64_t value = 0;
  std::memcpy(&value, f.lanes<std::byte>(warp, number) + bytes * lane, bytes);
  return value;
}

void load_and_compare(MemoryFixture& f, const MemoryForm& form, std::uint64_t base)
{
  MemoryWarp& warp = f.warp(0);
  const std::size_t bytes = std::size_t{form.element_bytes} * form.count;
  for (const isa::LaneMask mask : {isa::kAllLanes, 0x8000'0421U}) {
    std::memset(warp.values, 0x5A, MemoryFixture::slot(MemoryFixture::kRegisters));
    f.access(warp, form, strided(base, bytes), mask);
    for (int lane = 0; lane < isa::kLanes; ++lane) {
      for (std::uint32_t k = 0; k < form.count; ++k) {
        const std::uint64_t got = register_value(f, warp, k, form.register_bytes, lane);
        const bool on = (mask >> lane & 1) != 0;
        const std::uint64_t untouched = 0x5A5A'5A5A'5A5A'5A5AULL >> (64 - 8 * form.register_bytes);
        const std::size_t offset = lane * bytes + std::size_t{k} * form.element_bytes;
        REQUIRE(got == (on ? expected(offset, form) : untouched));
      }
    }
  }
}

void store_and_compare(MemoryFixture& f, const MemoryForm& form, std::uint64_t base, std::byte* memory)
{
  MemoryWarp& warp = f.warp(0);
  const std::size_t bytes = std::size_t{form.element_bytes} * form.count;
  for (const isa::LaneMask mask : {isa::kAllLanes, 0x8000'0421U}) {
    std::memset(memory, 0, bytes * isa::kLanes);
    for (int lane = 0; lane < isa::kLanes; ++lane) {
      for (std::uint32_t k = 0; k < form.count; ++k) {
        const std::uint64_t value = expected(lane * bytes + std::size_t{k} * form.element_bytes, form);
        std::memcpy(f.lanes<std::byte>(warp, k) + form.register_bytes * lane, &value, form.register_bytes);
      }
    }
    f.access(warp, form, strided(base, bytes), mask);
    lanes_meet(warp, isa::kAllLanes);
    for (std::size_t i = 0; i < bytes * isa::kLanes; ++i) {
      const bool on = (mask >> i / bytes & 1) != 0;
      REQUIRE(memory[i] == (on ? pattern(i) : std::byte{0}));
    }
  }
}

struct Shape
{
  std::uint8_t element;
  std::uint8_t count;
  std::uint8_t width;
  bool sign;
};
constexpr Shape kShapes[] = {{1, 1, 2, false}, {1, 1, 4, true},  {1, 4, 2, true},  {2, 1, 2, false}, {2, 2, 4, true},
                             {2, 4, 2, false}, {2, 1, 8, true},  {4, 1, 4, false}, {4, 2, 4, false}, {4, 4, 4, false},
                             {4, 1, 8, true},  {4, 1, 8, false}, {4, 8, 4, false}, {8, 1, 8, false}, {8, 2, 8, false},
                             {8, 4, 8, false}, {1, 1, 8, true}};

MemoryForm shaped(MemoryForm form, const Shape& shape)
{
  form.element_bytes = shape.element;
  form.count = shape.count;
  form.register_bytes = shape.width;
  form.sign_extend = shape.sign;
  return form;
}

template <typename Use>
void for_both_handlers(MemoryFixture& f, const Use& use)
{
  for (const bool checked : {false, true}) {
    f.checked = checked;
    use();
  }
  CHECK(f.findings.findings().empty());
}

}  // namespace

TEST_CASE("every width of load gives the bytes that are there, in the lanes that are on")
{
  MemoryFixture f;
  const std::uint64_t global = f.global.allocate(4096, "buffer");
  std::vector<std::byte> bytes(1024);
  for (std::size_t i = 0; i < bytes.size(); ++i)
    bytes[i] = pattern(i);
  f.global.copy_in(global, bytes);
  std::copy(bytes.begin(), bytes.end(), f.block().shared.begin());
  f.block().written.set(0, bytes.size());
  f.context.parameters = bytes;
  for_both_handlers(f, [&] {
    for (const Shape& shape : kShapes) {
      load_and_compare(f, shaped(load_form(StateSpace::global, 4), shape), global);
      load_and_compare(f, shaped(load_form(StateSpace::constant, 4), shape), global);
      load_and_compare(f, shaped(load_form(StateSpace::shared, 4), shape), 0);
      load_and_compare(f, shaped(load_form(StateSpace::param, 4), shape), 0);
      load_and_compare(f, shaped(load_form(StateSpace::generic, 4), shape), global);
      load_and_compare(f, shaped(load_form(StateSpace::generic, 4), shape), kSharedWindow);
      load_and_compare(f, shaped(load_form(StateSpace::generic, 4), shape), kParamWindow);
    }
  });
}

TEST_CASE("every width of store leaves the bytes of the lanes that are on, and nothing else")
{
  MemoryFixture f;
  const std::uint64_t global = f.global.allocate(4096, "buffer");
  auto* memory = reinterpret_cast<std::byte*>(global);
  for_both_handlers(f, [&] {
    for (const Shape& shape : kShapes) {
      store_and_compare(f, shaped(store_form(StateSpace::global, 4), shape), global, memory);
      store_and_compare(f, shaped(store_form(StateSpace::generic, 4), shape), global, memory);
      store_and_compare(f, shaped(store_form(StateSpace::shared, 4), shape), 0, f.block().shared.data());
      store_and_compare(f, shaped(store_form(StateSpace::generic, 4), shape), kSharedWindow, f.block().shared.data());
    }
  });
}

TEST_CASE("each lane has local memory of its own behind the same address")
{
  MemoryFixture f;
  MemoryWarp& warp = f.warp(1);
  for_both_handlers(f, [&] {
    for (const auto& [space, base] :
         {std::pair{StateSpace::local, std::uint64_t{0}}, {StateSpace::generic, kLocalWindow}}) {
      for (std::uint32_t lane = 0; lane < isa::kLanes; ++lane)
        f.lanes<std::uint32_t>(warp, 0)[lane] = 100 + lane;
      f.access(warp, store_form(space, 4), strided(base + 8, 0));
      f.access(warp, load_form(space, 4), strided(base + 8, 0), 0xFFFF'0000U);
      for (std::uint32_t lane = 0; lane < isa::kLanes; ++lane)
        CHECK(f.lanes<std::uint32_t>(warp, 0)[lane] == 100 + lane);
    }
  });
}

TEST_CASE("a generic load may find every lane in another space")
{
  MemoryFixture f;
  const std::uint64_t global = f.global.allocate(64, "buffer");
  MemoryWarp& warp = f.warp(0);
  f.global.fill(global, std::byte{1}, 64);
  f.block().shared[4] = f.block().shared[5] = std::byte{2};
  f.block().written.set(4, 2);
  auto addresses = strided(global, 2);
  for (std::size_t lane = 0; lane < isa::kLanes; lane += 2)
    addresses[lane] = kSharedWindow + 4;
  for_both_handlers(f, [&] {
    f.access(warp, load_form(StateSpace::generic, 2), addresses);
    for (std::size_t lane = 0; lane < isa::kLanes; ++lane) {
      CHECK(f.lanes<std::uint16_t>(warp, 0)[lane] == (lane % 2 == 0 ? 0x0202 : 0x0101));
    }
  });
}

TEST_CASE("an address is its register, of 32 or 64 bits, plus an offset that may be negative")
{
  MemoryFixture f;
  MemoryWarp& warp = f.warp(0);
  MemoryForm form = store_form(StateSpace::shared, 4);
  form.address_bytes = 4;
  isa::Instruction store = f.make(form);
  store.immediate = static_cast<std::uint64_t>(-16);
  for (std::uint32_t lane = 0; lane < isa::kLanes; ++lane) {
    f.lanes<std::uint32_t>(warp, MemoryFixture::kAddress)[lane] = 16 + 4 * lane;
    f.lanes<std::uint32_t>(warp, 0)[lane] = lane;
  }
  f.run(warp, store);
  isa::Instruction load = f.make(load_form(StateSpace::shared, 4));
  load.slot[kAddressSlot] = isa::kNoSlot;
  load.immediate = 20;
  f.run(warp, load, 1U << 5);
  CHECK(f.lanes<std::uint32_t>(warp, 0)[5] == 5);
  CHECK(f.findings.findings().empty());
}

TEST_CASE("destinations that are not wanted stay out of it")
{
  MemoryFixture f;
  MemoryWarp& warp = f.warp(0);
  f.access(warp, store_form(StateSpace::shared, 4, 2), strided(0, 8));
  isa::Instruction load = f.make(load_form(StateSpace::shared, 4, 2));
  load.slot[0] = isa::kNoSlot;
  f.run(warp, load);
  CHECK(f.findings.findings().empty());
}

TEST_CASE("cvta and isspacep know the windows")
{
  MemoryFixture f;
  MemoryWarp& warp = f.warp(0);
  const std::uint64_t global = f.global.allocate(64, "buffer");
  for (const StateSpace space : {StateSpace::shared, StateSpace::local, StateSpace::param, StateSpace::global}) {
    const std::uint64_t base = space == StateSpace::global ? global : 0;
    MemoryForm form = operation_form(MemoryOperation::to_generic, 8);
    form.register_bytes = 8;
    form.space = space;
    f.access(warp, form, strided(base, 4));
    for (std::size_t lane = 0; lane < isa::kLanes; ++lane) {
      const std::uint64_t generic = f.lanes<std::uint64_t>(warp, 0)[lane];
      CHECK(generic == window_of(space) + base + 4 * lane);
      CHECK(space_of(generic) == space);
    }
    const auto generic = strided(window_of(space) + base, 4);
    form.operation = MemoryOperation::from_generic;
    f.access(warp, form, generic);
    CHECK(f.lanes<std::uint64_t>(warp, 0)[3] == base + 12);
    for (const StateSpace asked : {StateSpace::shared, StateSpace::local, StateSpace::param, StateSpace::global}) {
      isa::Instruction test = f.make([&] {
        MemoryForm is = operation_form(MemoryOperation::is_space, 8);
        is.space = asked;
        return is;
      }());
      test.slot[0] = 2;
      warp.predicates[2] = 0xF;
      std::copy(generic.begin(), generic.end(), f.lanes<std::uint64_t>(warp, MemoryFixture::kAddress));
      f.run(warp, test, 0xFF00U);
      CHECK(warp.predicates[2] == (asked == space ? 0xFF0FU : 0xFU));
    }
  }
}

TEST_CASE("forms that PTX does not have get no handler")
{
  const auto has = [](const MemoryForm& form) { return find_memory_handler(form, true) != nullptr; };
  CHECK(has(operation_form(MemoryOperation::copy_async, 4)));
  CHECK_FALSE(has(operation_form(MemoryOperation::copy_async, 2)));
  CHECK_FALSE(has(store_form(StateSpace::constant, 4)));
  CHECK_FALSE(has(operation_form(MemoryOperation::load_matrix, 2, 3)));
  MemoryForm sum = add_form(StateSpace::global);
  sum.type = AtomicType::bits;
  CHECK_FALSE(has(sum));
}

}  // namespace flashgate::gpu
