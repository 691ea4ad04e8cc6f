#include <array>
#include <string_view>

#include "gpu/emulator/isa/form.h"

namespace flashgate::gpu::isa {
namespace {

constexpr std::array kOperations = {
    "add",
    "sub",
    "min",
    "max",
    "div",
    "rem",
    "abs",
    "neg",
    "mul",
    "fma",
    "mul.lo",
    "mul.hi",
    "mul.wide",
    "mad.lo",
    "mad.hi",
    "mad.wide",
    "mul24.lo",
    "mul24.hi",
    "mad24.lo",
    "mad24.hi",
    "sad",
    "dp4a",
    "dp2a.lo",
    "dp2a.hi",
    "rcp",
    "sqrt",
    "rsqrt",
    "sin",
    "cos",
    "ex2",
    "lg2",
    "tanh",
    "copysign",
    "testp",
    "cvt",
    "and",
    "or",
    "xor",
    "not",
    "cnot",
    "lop3",
    "lop3.or",
    "lop3.and",
    "shl",
    "shr",
    "shf",
    "bfe",
    "bfi",
    "bfind",
    "bfind.shiftamt",
    "brev",
    "popc",
    "clz",
    "prmt",
    "fns",
    "szext",
    "bmsk",
    "mov",
    "mov.pack",
    "mov.unpack",
    "selp",
    "slct",
    "set",
    "setp",
    "shfl.sync",
    "vote.sync",
    "match.any.sync",
    "match.all.sync",
    "redux.sync",
    "activemask",
    "mma.sync",
    "movmatrix",
};
static_assert(kOperations.size() == static_cast<std::size_t>(Operation::movmatrix) + 1);

constexpr std::array kTypes = {"",     "pred",   "b8",   "b16", "b32",   "b64", "u8",    "u16",
                               "u32",  "u64",    "s8",   "s16", "s32",   "s64", "f16",   "f16x2",
                               "bf16", "bf16x2", "tf32", "f32", "f32x2", "f64", "u16x2", "s16x2"};
static_assert(kTypes.size() == static_cast<std::size_t>(Type::s16x2) + 1);

constexpr std::array kRoundings = {"", "rn", "rz", "rm", "rp", "rna", "rni", "rzi", "rmi", "rpi"};
constexpr std::array kComparisons = {"",    "eq",  "ne",  "lt",  "le",  "gt",  "ge", "equ",
                                     "neu", "ltu", "leu", "gtu", "geu", "num", "nan"};
constexpr std::array kCombines = {"", "and", "or", "xor"};
constexpr std::array kModes = {
    "",    "clamp", "wrap", "l.clamp", "l.wrap", "r.clamp", "r.wrap",   "f4e",    "b4e",        "rc8",    "ecl",
    "ecr", "rc16",  "up",   "down",    "bfly",   "idx",     "all",      "any",    "uni",        "ballot", "add",
    "min", "max",   "and",  "or",      "xor",    "finite",  "infinite", "number", "notanumber", "normal", "subnormal"};
static_assert(kModes.size() == static_cast<std::size_t>(Mode::subnormal) + 1);
constexpr std::array kShapes = {"", "m16n8k4", "m16n8k8", "m16n8k16", "m16n8k32"};

template <typename Names, typename Value>
std::string_view name_in(const Names& names, Value value)
{
  return names.at(static_cast<std::size_t>(value));
}

}  // namespace

std::string describe(const Form& form)
{
  std::string text(name_in(kOperations, form.operation));
  const auto add = [&](std::string_view part) {
    if (!part.empty()) text.append(".").append(part);
  };
  const auto add_if = [&](bool present, std::string_view part) {
    if (present) add(part);
  };
  add(name_in(kComparisons, form.comparison));
  add(name_in(kCombines, form.combine));
  add(name_in(kModes, form.mode));
  add(name_in(kShapes, form.shape));
  add(name_in(kRoundings, form.rounding));
  add_if(form.approximate, "approx");
  add_if(form.full, "full");
  add_if(form.ftz, "ftz");
  add_if(form.nan, "NaN");
  add_if(form.xorsign_abs, "xorsign.abs");
  add_if(form.saturate, "sat");
  add_if(form.relu, "relu");
  add_if(form.satfinite, "satfinite");
  add_if(form.carry_in, "c");
  add_if(form.carry_out, "cc");
  add(name_in(kTypes, form.type));
  add(name_in(kTypes, form.other));
  add(name_in(kTypes, form.third));
  if (form.register_bytes != 0)
    text += " in registers of " + std::to_string(form.register_bytes) + " from " +
            std::to_string(form.source_register_bytes) + " bytes";
  return text;
}

}  // namespace flashgate::gpu::isa
