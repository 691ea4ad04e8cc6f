#include <string_view>

#include <doctest/doctest.h>

#include "tests/gpu/emulator/ptx/snippet.h"

namespace flashgate::gpu::ptx {
namespace {

constexpr std::string_view kDeclarations =
    ".reg .pred p, %p<9>; .reg .b16 %rs<9>; .reg .b32 %r<99>; .reg .b64 %rd<99>; .reg .f32 %f<9>; .reg .v4 .f32 v; "
    ".shared .align 16 .b8 sh[64]; .param .b32 param0; .local .align 4 .b8 depot[8];\n";

constexpr std::string_view kGlobals =
    ".global .align 4 .b8 table[16]; .extern .shared .align 1024 .b8 smem[]; .func (.param .b32 r) f(.param .b32 a);";

struct Row
{
  std::string_view statement;
  std::string_view expected;  ///< as text_of() spells it
};

void check(const Row* first, const Row* last)
{
  for (const Row* row = first; row != last; ++row) {
    const ParsedBody parsed = body_of(std::string(kDeclarations) + std::string(row->statement), kGlobals);
    CHECK(text_of(parsed) == row->expected);
  }
}

template <std::size_t size>
void check(const Row (&rows)[size])
{
  check(rows, rows + size);
}

}  // namespace

TEST_CASE("registers, special registers, sinks and pairs are told apart")
{
  const Row rows[] = {
      {"mov.u32 %r1, %tid.x;", "mov.u32 r:%r1 s:%tid.x"},
      {"mov.u32 %r98, %laneid;", "mov.u32 r:%r98 s:%laneid"},
      {"mov.u64 %rd1, %globaltimer;", "mov.u64 r:%rd1 s:%globaltimer"},
      {"mov.u32 %r1, %envreg31;", "mov.u32 r:%r1 s:%envreg31"},
      {"mov.u32 %r1, %cluster_ctaid.z;", "mov.u32 r:%r1 s:%cluster_ctaid.z"},
      {"shfl.sync.bfly.b32 %r1|%p1, %r2, 16, 31, -1;", "shfl.sync.bfly.b32 r:%r1|%p1 r:%r2 i:16 i:31 i:-1"},
      {"setp.eq.s32 %p1|%p2, %r1, %r2;", "setp.eq.s32 r:%p1|%p2 r:%r1 r:%r2"},
      {"setp.eq.s32 %p1|_, %r1, 0;", "setp.eq.s32 r:%p1 r:%r1 i:0"},
      {"elect.sync _|%p3, 0xFFFFFFFF;", "elect.sync _|%p3 i:4294967295"},
      {"and.pred %p1, %p2, !%p3;", "and.pred r:%p1 r:%p2 !r:%p3"},
      {"mbarrier.arrive.shared.b64 _, [%r1];", "mbarrier.arrive.shared.b64 _ [%r1]"},
      {"mov.f32 %f1, v.x;", "mov.f32 r:%f1 r:v"},
      {"tex.1d.v4.f32.s32 v, [table, {%r1}];", "tex.1d.v4.f32.s32 {r:v r:v r:v r:v} [m:table {r:%r1}]"},
  };
  check(rows);
}

TEST_CASE("guards may be negated and may have blanks")
{
  const Row rows[] = {
      {"@%p1 ret;", "[%p1] ret"},
      {"@!%p8 bra L; L: ret;", "[!%p8] bra @1\nret"},
      {"@ ! p exit;", "[!p] exit"},
  };
  check(rows);
}

TEST_CASE("immediates keep all their bits and say how they were written")
{
  const Row rows[] = {
      {"x 0, 7, 017, 0x1F, 0b101, -1;", "x i:0 i:7 i:15 i:31 i:5 i:-1"},
      {"x 7U, 0xFFFFFFFFFFFFFFFF, 9223372036854775808;", "x u:7 u:18446744073709551615 u:9223372036854775808"},
      {"x 0f3F800000, 0F80000000, -0f3F800000;", "x f:3f800000 f:80000000 f:bf800000"},
      {"x 0d3FF0000000000000, 1.0, 1e0, 1., -0.5;",
       "x d:3ff0000000000000 d:3ff0000000000000 d:3ff0000000000000 d:3ff0000000000000 d:bfe0000000000000"},
      {"x 2+3*4, (2+3)*4, 1<<4|1, 7/2, -7/2, 7%4, -8>>1;", "x i:14 i:20 i:17 i:3 i:-3 i:3 i:-4"},
      {"x ~0, !5, !0, - -3, +4, 6^3, 6&3, 10-2-3;", "x i:-1 i:0 i:1 i:3 i:4 i:5 i:2 i:5"},
      {"x 1<2, 2<=1, 3>2, 2>=3, 1==1, 1!=1, 1&&0, 1||0;", "x i:1 i:0 i:1 i:0 i:1 i:0 i:0 i:1"},
      {"x 1?2:3, 0?2:3, 0?1:0?2:3;", "x i:2 i:3 i:3"},
      {"x (.u64)-1, (.s64)1.9, -1U>>63, 1<<64, -1>>99;", "x u:18446744073709551615 i:1 u:1 i:0 i:-1"},
      {"x 9223372036854775807+1, WARP_SZ*2, 1.5+1;", "x i:-9223372036854775808 i:64 d:4004000000000000"},
      {"x (-9223372036854775807-1)/-1;", "x i:-9223372036854775808"},
  };
  check(rows);
}

TEST_CASE("addresses have a register, a symbol or nothing to count from")
{
  const Row rows[] = {
      {"ld.global.u32 %r1, [%rd1];", "ld.global.u32 r:%r1 [%rd1]"},
      {"ld.global.u32 %r1, [%rd1+16];", "ld.global.u32 r:%r1 [%rd1+16]"},
      {"ld.global.u32 %r1, [%rd1+-16];", "ld.global.u32 r:%r1 [%rd1-16]"},
      {"ld.global.u32 %r1, [ %rd1 - 4 ];", "ld.global.u32 r:%r1 [%rd1-4]"},
      {"ld.param.u64 %rd1, [pa];", "ld.param.u64 r:%rd1 [p:pa]"},
      {"ld.param.u64 %rd1, [pb+8];", "ld.param.u64 r:%rd1 [p:pb+8]"},
      {"st.shared.u32 [sh+2*4], %r1;", "st.shared.u32 [l:sh+8] r:%r1"},
      {"st.param.b32 [param0+0], %r1;", "st.param.b32 [l:param0] r:%r1"},
      {"ld.shared.u32 %r1, [smem+4];", "ld.shared.u32 r:%r1 [m:smem+4]"},
      {"ld.shared.u32 %r1, [64];", "ld.shared.u32 r:%r1 [+64]"},
      {"ld.v4.f32 {%f1, %f2, %f3, _}, [%rd1];", "ld.v4.f32 {r:%f1 r:%f2 r:%f3 _} [%rd1]"},
      {"cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier [%r1], [%rd1, {0, %r2}], [%r3];",
       "cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier [%r1] [%rd1 {i:0 r:%r2}] [%r3]"},
      {"tex.2d.v4.f32.f32 v, [table, table, {%f1, %f2}];",
       "tex.2d.v4.f32.f32 {r:v r:v r:v r:v} [m:table m:table {r:%f1 r:%f2}]"},
  };
  check(rows);
}

TEST_CASE("symbols stand for their address")
{
  const Row rows[] = {
      {"mov.u64 %rd1, table+8;", "mov.u64 r:%rd1 m:table+8"},
      {"mov.u32 %r1, smem;", "mov.u32 r:%r1 m:smem"},
      {"mov.b64 %rd1, pb;", "mov.b64 r:%rd1 p:pb"},
      {"mov.u64 %rd1, depot;", "mov.u64 r:%rd1 l:depot"},
      {"mov.u64 %rd1, f;", "mov.u64 r:%rd1 fn:f"},
  };
  check(rows);
}

TEST_CASE("an opcode may be glued to its operands and comments may stand anywhere")
{
  const Row rows[] = {
      {"mov.b64{%r1,%r2},%rd1;", "mov.b64 {r:%r1 r:%r2} r:%rd1"},
      {"tcgen05.ld.sync.aligned.32x32b.x2.b32{%r1, %r2},[%r3];",
       "tcgen05.ld.sync.aligned.32x32b.x2.b32 {r:%r1 r:%r2} [%r3]"},
      {"add.s32/*a*/%r1,/* b\n */%r2 // c ; d\n,%r3;", "add.s32 r:%r1 r:%r2 r:%r3"},
      {"ld.shared::cta.b32 %r1,[%r2];", "ld.shared::cta.b32 r:%r1 [%r2]"},
      {"ldmatrix.sync.aligned.x4.m8n8.shared.b16 {%r1,%r2,%r3,%r4}, [%r5];",
       "ldmatrix.sync.aligned.x4.m8n8.shared.b16 {r:%r1 r:%r2 r:%r3 r:%r4} [%r5]"},
      {"bar.sync 0; ;; membar.gl;", "bar.sync i:0\nmembar.gl"},
  };
  check(rows);
}

TEST_CASE("a call always has four operands")
{
  const Row rows[] = {
      {"call.uni (param0), f, (param0);", "call.uni {l:param0} fn:f {l:param0} _"},
      {"call f;", "call {} fn:f {} _"},
      {"call f, (param0, %r1, 5);", "call {} fn:f {l:param0 r:%r1 i:5} _"},
      {"pr: .callprototype (.param .b32 _) _ (.param .b32 _, .param .align 8 .b8 _[16]);\ncall (param0), %rd1, "
       "(param0, "
       "param0), pr;",
       "call {l:param0} r:%rd1 {l:param0 l:param0} cp:pr"},
      {"pr: .callprototype _ () .noreturn;\ncall %rd1, pr;", "call {} r:%rd1 {} cp:pr"},
      {"ct: .calltargets f;\ncall (param0), %rd1, (param0), ct;", "call {l:param0} r:%rd1 {l:param0} ct:ct"},
  };
  check(rows);
}

}  // namespace flashgate::gpu::ptx
