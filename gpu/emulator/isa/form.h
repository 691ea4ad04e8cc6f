#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "gpu/emulator/isa/core.h"
#include "gpu/emulator/isa/instruction.h"

namespace flashgate::gpu::isa {

/// Types as the semantics know them, named as PTX spells them.
enum class Type : std::uint8_t {
  none,
  pred,
  b8,
  b16,
  b32,
  b64,
  u8,
  u16,
  u32,
  u64,
  s8,
  s16,
  s32,
  s64,
  f16,
  f16x2,
  bf16,
  bf16x2,
  tf32,
  f32,
  f32x2,
  f64,
  u16x2,
  s16x2,
};

/// What an instruction does. The comment gives slot[0], slot[1], ...: destinations first, then sources in PTX order.
/// Lower case letters are registers, p and q predicates. Rules for all of them:
///   * a source that is a constant is a slot too; widths are those of `type` unless said otherwise;
///   * `_` (a destination not wanted) is kNoSlot where PTX allows it;
///   * bit k of Instruction::a: the source predicate in slot[k] is negated. A source predicate of kNoSlot is the
///     constant true (so with its bit of `a`, false);
///   * a destination may be the same register as any source;
///   * carry flag (CC.CF): a predicate register that the program sets aside.
enum class Operation : std::uint8_t {
  // Arithmetic of integers, f32, f64, f16, f16x2, bf16, bf16x2 (f32x2: add, sub, mul, fma): d, a, b
  add,  ///< integers with carry: d, a, b, carry out (kNoSlot without), carry in (kNoSlot without); else d, a, b
  sub,  ///< as add; the carry flag holds the borrow
  min,  ///< also u16x2, s16x2
  max,
  div,
  rem,
  abs,  ///< d, a
  neg,  ///< d, a
  mul,  ///< floating types only; integers have the next three
  fma,  ///< d, a, b, c; floating types (mad.f32 and mad.rn.f64 are fma too)
  // Integers
  mul_lo,
  mul_hi,
  mul_wide,  ///< `type` is that of a and b; d has twice its width
  mad_lo,    ///< d, a, b, c; with carry: d, a, b, c, carry out, carry in
  mad_hi,    ///< as mad_lo; `saturate` for s32
  mad_wide,  ///< d, a, b, c; c and d have twice the width
  mul24_lo,
  mul24_hi,
  mad24_lo,
  mad24_hi,  ///< `saturate` for s32
  sad,       ///< d, a, b, c: c + |a - b|
  dp4a,      ///< d, a, b, c: `type` (s32 or u32) is a's, `other` is b's
  dp2a_lo,
  dp2a_hi,
  // f32 and f64 functions: d, a
  rcp,
  sqrt,
  rsqrt,
  sin,
  cos,
  ex2,
  lg2,
  tanh,
  copysign,  ///< d, a, b: magnitude of b, sign of a
  testp,     ///< p, a; `mode` finite .. subnormal
  cvt,       ///< d, a; two sources: d, a, b with a in the upper half. `type` from `other`; see register_bytes
  // Bits: b16, b32, b64 (and_, or_, xor_, not_ and mov also pred: p, q, r)
  and_,
  or_,
  xor_,
  not_,
  cnot,
  lop3,         ///< d, a, b, c; immediate: the table
  lop3_or,      ///< lop3.BoolOp: d, p, a, b, c, q; immediate: the table
  lop3_and,     ///< same
  shl,          ///< d, a, b; b is 32 bits
  shr,          ///< same; arithmetic for signed types
  shf,          ///< d, a, b, c; `mode` left_clamp .. right_wrap
  bfe,          ///< d, a, b, c; b and c are 32 bits
  bfi,          ///< f, a, b, c, d; c and d are 32 bits
  bfind,        ///< d, a; d is 32 bits
  bfind_shift,  ///< bfind.shiftamt
  brev,
  popc,    ///< d is 32 bits
  clz,     ///< d is 32 bits
  prmt,    ///< d, a, b, c; `mode` none or f4e .. rc16
  fns,     ///< d, mask, base, offset
  szext,   ///< d, a, b; `mode` clamp or wrap
  bmsk,    ///< d, a, b; `mode` clamp or wrap
  mov,     ///< d, a
  pack,    ///< mov d, {a, b, ...}: `type` is d's, `other` an element's; count = width of d / width of an element
  unpack,  ///< mov {d, e, ...}, a: `type` is a's, `other` an element's; each of d, e, ... may be kNoSlot
  selp,    ///< d, a, b, p
  slct,    ///< d, a, b, c; `other` (s32 or f32) is c's
  set,     ///< d, a, b (, p with `combine`); `type` is d's, `other` that of a and b
  setp,    ///< p, q (kNoSlot without), a, b (, r with `combine`); for f16x2 and bf16x2 p is of the lower half, q of the
           ///< upper one
  // The warp. Lanes that take part: mask and the member mask. d, p: either may be kNoSlot
  shfl,        ///< d, p, a, b, c, members; `mode` up, down, bfly, idx. From a lane that takes no part: the own value
  vote,        ///< p or d (ballot), q, members; `mode` all, any, uni, ballot
  match_any,   ///< d, a, members; d is 32 bits, type b32 or b64
  match_all,   ///< d, p, a, members
  redux,       ///< d, a, members; `mode` redux_add .. redux_xor; u32, s32, b32
  activemask,  ///< d
  // Matrices: `type` is that of c and d, `other` that of a, `third` that of b; `shape`. All lanes must be on.
  mma,        ///< d..., a..., b..., c... as many registers each as the fragment has
  movmatrix,  ///< d, a: transposes 8 x 8 b16
};

enum class Rounding : std::uint8_t { none, rn, rz, rm, rp, rna, rni, rzi, rmi, rpi };

/// Comparisons as PTX spells them; lo, ls, hi, hs are lt, le, gt, ge of unsigned types.
enum class Comparison : std::uint8_t { none, eq, ne, lt, le, gt, ge, equ, neu, ltu, leu, gtu, geu, num, nan };

/// How a comparison is combined with a predicate.
enum class Combine : std::uint8_t { none, and_, or_, xor_ };

enum class Mode : std::uint8_t {
  none,
  clamp,
  wrap,
  left_clamp,
  left_wrap,
  right_clamp,
  right_wrap,
  f4e,
  b4e,
  rc8,
  ecl,
  ecr,
  rc16,
  up,
  down,
  bfly,
  idx,
  all,
  any,
  uni,
  ballot,
  redux_add,
  redux_min,
  redux_max,
  redux_and,
  redux_or,
  redux_xor,
  finite,
  infinite,
  number,
  notanumber,
  normal,
  subnormal,
};

enum class Shape : std::uint8_t { none, m16n8k4, m16n8k8, m16n8k16, m16n8k32 };

/// An instruction apart from its operands. What an operation does not have stays at its default. Rounding::none where
/// PTX has a default (add, sub, mul of floating types: rn) means that default.
struct Form
{
  Operation operation = Operation::mov;
  Type type = Type::none;
  Type other = Type::none;
  Type third = Type::none;
  Rounding rounding = Rounding::none;
  Comparison comparison = Comparison::none;
  Combine combine = Combine::none;
  Mode mode = Mode::none;
  Shape shape = Shape::none;
  bool ftz = false;
  bool saturate = false;
  bool satfinite = false;
  bool relu = false;
  bool approximate = false;  ///< .approx; tanh, ex2, lg2, sin, cos are always
  bool full = false;         ///< div.full
  bool nan = false;          ///< min.NaN, max.NaN
  bool xorsign_abs = false;  ///< min.xorsign.abs, max.xorsign.abs
  bool carry_in = false;     ///< addc, subc, madc
  bool carry_out = false;    ///< .cc
  /// cvt: bytes of the registers of d and a, which may be wider than their types (2 for an 8-bit type at least). 0: the
  /// type's own width (2 for 8-bit types).
  std::uint8_t register_bytes = 0;
  std::uint8_t source_register_bytes = 0;

  friend bool operator==(const Form&, const Form&) = default;
};

/// The handler of `form` on `core`, or nullptr if it is not supported. Any number of threads may call it. Throws Error
/// for a core that the processor lacks.
Handler find_handler(Core core, const Form& form);

/// Every form that `core` supports, in the spelling of normal_form(); the same list for every core.
const std::vector<Form>& supported_forms(Core core);

/// One operand of a form: its role and what its slot is.
struct Operand
{
  bool is_destination = false;
  bool optional = false;  ///< may be kNoSlot
  int bytes = 0;          ///< per lane; 0: a predicate
};

/// The operands of `form` in the order of Instruction::slot.
std::vector<Operand> operands(const Form& form);

/// "add.s32"-like, for messages and test names; not PTX in every detail.
std::string describe(const Form& form);

}  // namespace flashgate::gpu::isa
