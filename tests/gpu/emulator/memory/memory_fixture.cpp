#include "tests/gpu/emulator/memory/memory_fixture.h"

#include <algorithm>

#include <doctest/doctest.h>

namespace flashgate::gpu {

MemoryFixture::MemoryFixture(const Options& options)
{
  context.global = &global;
  context.findings = &findings;
  context.counters = &counters;
  context.checks = options.checks;
  context.async = options.async;
  context.shared_bytes = options.shared_bytes;
  context.local_bytes = options.local_bytes;
  context.warps_per_block = options.warps;
  kernel_starts(context);
  add_block();
}

std::size_t MemoryFixture::add_block()
{
  auto resident = std::make_unique<Resident>();
  std::vector<MemoryWarp*> members;
  for (std::uint32_t w = 0; w < context.warps_per_block; ++w) {
    registers_.push_back(std::make_unique<std::byte[]>(slot(kRegisters)));
    predicates_.push_back(std::make_unique<isa::LaneMask[]>(8));
    auto made = std::make_unique<MemoryWarp>();
    made->values = registers_.back().get();
    made->predicates = predicates_.back().get();
    made->context = &context;
    made->block_memory = &resident->memory;
    made->id = w;
    made->live = isa::kAllLanes;
    members.push_back(made.get());
    resident->warps.push_back(std::move(made));
  }
  block_starts(context, resident->memory, Dim3{next_block_, 0, 0}, next_block_, members);
  ++next_block_;
  blocks_.push_back(std::move(resident));
  return blocks_.size() - 1;
}

void MemoryFixture::end_block(std::size_t block) { block_ends(blocks_[block]->memory); }

isa::Instruction MemoryFixture::make(const MemoryForm& form)
{
  isa::Instruction made;
  made.run = find_memory_handler(form, checked);
  const bool is_supported = made.run != nullptr;
  REQUIRE(is_supported);
  for (std::uint32_t k = 0; k < made.slot.size(); ++k)
    made.slot[k] = slot(k);
  made.slot[kAddressSlot] = slot(kAddress);
  made.a = memory_word(form);
  made.index = next_instruction_++;
  return made;
}

void MemoryFixture::run(MemoryWarp& warp, const isa::Instruction& instruction, isa::LaneMask mask)
{
  instruction.run(warp, instruction, mask);
}

std::int32_t MemoryFixture::access(MemoryWarp& warp, const MemoryForm& form, const Lanes<std::uint64_t>& addresses,
                                   isa::LaneMask mask)
{
  const isa::Instruction made = make(form);
  std::copy(addresses.begin(), addresses.end(), lanes<std::uint64_t>(warp, kAddress));
  run(warp, made, mask);
  return made.index;
}

void MemoryFixture::barrier(std::size_t block)
{
  for (const auto& w : blocks_[block]->warps)
    barrier_arrive(*w, 0, w->live);
  barrier_complete(blocks_[block]->memory, 0);
  for (const auto& w : blocks_[block]->warps)
    barrier_resume(*w, 0, w->live);
}

std::size_t MemoryFixture::count(Check check) const
{
  const auto& all = findings.findings();
  return static_cast<std::size_t>(
      std::count_if(all.begin(), all.end(), [&](const Finding& f) { return f.check == check; }));
}

const Finding& MemoryFixture::only(Check check) const
{
  REQUIRE(findings.findings().size() == 1);
  REQUIRE(findings.findings()[0].check == check);
  return findings.findings()[0];
}

MemoryFixture::Lanes<std::uint64_t> strided(std::uint64_t first, std::uint64_t step)
{
  MemoryFixture::Lanes<std::uint64_t> result{};
  for (std::size_t lane = 0; lane < result.size(); ++lane)
    result[lane] = first + lane * step;
  return result;
}

MemoryForm load_form(StateSpace space, std::uint8_t bytes, std::uint8_t count)
{
  MemoryForm form;
  form.operation = MemoryOperation::load;
  form.space = space;
  form.element_bytes = bytes;
  form.register_bytes = std::max<std::uint8_t>(bytes, 2);
  form.count = count;
  return form;
}

MemoryForm store_form(StateSpace space, std::uint8_t bytes, std::uint8_t count)
{
  MemoryForm form = load_form(space, bytes, count);
  form.operation = MemoryOperation::store;
  return form;
}

MemoryForm with_semantics(MemoryForm form, Semantics semantics, Scope scope)
{
  form.semantics = semantics;
  form.scope = scope;
  return form;
}

MemoryForm add_form(StateSpace space, Scope scope)
{
  MemoryForm form = load_form(space, 4);
  form.operation = MemoryOperation::atomic;
  form.atomic = AtomicOperation::add;
  form.type = AtomicType::unsigned_integer;
  return with_semantics(form, Semantics::relaxed, scope);
}

MemoryForm fence_form(Scope scope)
{
  MemoryForm form = operation_form(MemoryOperation::fence, 4);
  return with_semantics(form, Semantics::acq_rel, scope);
}

MemoryForm operation_form(MemoryOperation operation, std::uint8_t bytes, std::uint8_t count)
{
  MemoryForm form;
  form.operation = operation;
  form.space = StateSpace::shared;
  form.element_bytes = bytes;
  form.count = count;
  return form;
}

}  // namespace flashgate::gpu
