// Time of one warp instruction, all lanes on, for every core of this processor: what the emulator's speed is made of.
#include <array>
#include <cstring>
#include <string>
#include <vector>

#include <benchmark/benchmark.h>

#include "gpu/emulator/isa/core.h"
#include "gpu/emulator/isa/form.h"

namespace flashgate::gpu::isa {
namespace {

struct Timed
{
  const char* name;
  Form form;
};

const Timed kTimed[] = {
    {"add.s32", {.operation = Operation::add, .type = Type::s32}},
    {"mad.lo.s32", {.operation = Operation::mad_lo, .type = Type::s32}},
    {"mul.wide.s32", {.operation = Operation::mul_wide, .type = Type::s32}},
    {"add.s64", {.operation = Operation::add, .type = Type::s64}},
    {"shl.b32", {.operation = Operation::shl, .type = Type::b32}},
    {"div.s32", {.operation = Operation::div, .type = Type::s32}},
    {"fma.rn.f32", {.operation = Operation::fma, .type = Type::f32, .rounding = Rounding::rn}},
    {"fma.rn.ftz.f32", {.operation = Operation::fma, .type = Type::f32, .rounding = Rounding::rn, .ftz = true}},
    {"mul.ftz.f32", {.operation = Operation::mul, .type = Type::f32, .rounding = Rounding::rn, .ftz = true}},
    {"max.ftz.f32", {.operation = Operation::max, .type = Type::f32, .ftz = true}},
    {"setp.lt.s32", {.operation = Operation::setp, .type = Type::s32, .comparison = Comparison::lt}},
    {"setp.lt.ftz.f32", {.operation = Operation::setp, .type = Type::f32, .comparison = Comparison::lt, .ftz = true}},
    {"selp.b32", {.operation = Operation::selp, .type = Type::b32}},
    {"mov.b32", {.operation = Operation::mov, .type = Type::b32}},
    {"prmt.b32", {.operation = Operation::prmt, .type = Type::b32}},
    {"ex2.approx.ftz.f32", {.operation = Operation::ex2, .type = Type::f32, .ftz = true}},
    {"lg2.approx.ftz.f32", {.operation = Operation::lg2, .type = Type::f32, .ftz = true}},
    {"rcp.approx.ftz.f32", {.operation = Operation::rcp, .type = Type::f32, .ftz = true, .approximate = true}},
    {"tanh.approx.f32", {.operation = Operation::tanh, .type = Type::f32}},
    {"cvt.rn.bf16x2.f32",
     {.operation = Operation::cvt, .type = Type::bf16x2, .other = Type::f32, .rounding = Rounding::rn}},
    {"cvt.rn.f16x2.f32",
     {.operation = Operation::cvt, .type = Type::f16x2, .other = Type::f32, .rounding = Rounding::rn}},
    {"cvt.f32.f16", {.operation = Operation::cvt, .type = Type::f32, .other = Type::f16}},
    {"cvt.s64.s32", {.operation = Operation::cvt, .type = Type::s64, .other = Type::s32}},
    {"mul.f16x2", {.operation = Operation::mul, .type = Type::f16x2}},
    {"fma.rn.f16x2", {.operation = Operation::fma, .type = Type::f16x2, .rounding = Rounding::rn}},
    {"shfl.sync.bfly.b32", {.operation = Operation::shfl, .type = Type::b32, .mode = Mode::bfly}},
    {"mma.m16n8k16.f32.bf16",
     {.operation = Operation::mma,
      .type = Type::f32,
      .other = Type::bf16,
      .third = Type::bf16,
      .shape = Shape::m16n8k16}},
    {"mma.m16n8k16.f32.f16",
     {.operation = Operation::mma,
      .type = Type::f32,
      .other = Type::f16,
      .third = Type::f16,
      .shape = Shape::m16n8k16}},
    {"mma.m16n8k16.f16.f16",
     {.operation = Operation::mma,
      .type = Type::f16,
      .other = Type::f16,
      .third = Type::f16,
      .shape = Shape::m16n8k16}},
};

/// Registers full of 1.0 in f32 (and small numbers in other types); the member mask of warp instructions is full.
void time_form(benchmark::State& state, Core core, const Form& form)
{
  constexpr std::size_t kSlotBytes = kLanes * sizeof(std::uint64_t);
  alignas(64) static std::array<std::byte, 24 * kSlotBytes> values;
  std::array<LaneMask, 24> predicates{};
  Instruction instruction;
  const std::vector<Operand> list = operands(form);
  for (std::size_t k = 0; k < list.size(); ++k) {
    const std::uint32_t word = k + 1 == list.size() && form.operation == Operation::shfl ? kAllLanes : 0x3F80'3F80;
    for (std::size_t at = 0; at < kSlotBytes; at += sizeof(word))
      std::memcpy(values.data() + k * kSlotBytes + at, &word, sizeof(word));
    instruction.slot[k] = static_cast<std::uint32_t>(list[k].bytes == 0 ? k : k * kSlotBytes);
  }
  Registers registers{values.data(), predicates.data()};
  const Handler handler = find_handler(core, form);
  for (auto _ : state) {
    handler(registers, instruction, kAllLanes);
    benchmark::ClobberMemory();
  }
}

const bool kRegistered = [] {
  for (const Core core : {Core::generic, Core::avx2, Core::avx512}) {
    if (!core_available(core)) continue;
    for (const Timed& timed : kTimed)
      benchmark::RegisterBenchmark((std::string(core_name(core)) + "/" + timed.name).c_str(), time_form, core,
                                   timed.form);
  }
  return true;
}();

}  // namespace
}  // namespace flashgate::gpu::isa
