#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <iterator>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include <doctest/doctest.h>

#include "tests/gpu/emulator/ptx/snippet.h"

namespace flashgate::gpu::ptx {
namespace {

/// A little of everything that the grammar has.
constexpr std::string_view kSeed = R"(// seed
.version 8.5
.target sm_90a, debug
.address_size 64
.file 1 "a.cu"
.extern .func (.param .b32 func_retval0) vprintf(.param .b64 a, .param .b64 b);
.global .align 8 .b8 $str[6] = {37, 100, 0x0A, 0b11, 017};
.const .b64 table[] = {generic($str)+2, $str, 3U, -1};
.global .b8 bytes[2][2] = {{0xFF($str), 1}, {(1<<3)|~2 & 7 ? 4 : 5}};
.const .v2 .f32 pairs[2] = {{1.5, 0f3F800000}, {0d3FF0000000000000, 2e-3}};
.extern .shared .align 1024 .b8 smem[];
.weak .func (.param .b32 r) helper(.param .align 8 .b8 a[16], .reg .b32 q) .noreturn
{ .reg .b32 %r<3>; ld.param.b32 %r1, [a+4]; st.param.b32 [r+0], %r1; ret; }
.visible .entry kernel(.param .u64 .ptr .global .align 4 p0, .param .align 64 .b8 p1[128])
.maxntid 128, 1, 1
.minnctapersm 2
.explicitcluster
{
	.reg .pred %p<4>;
	.reg .b32 %r<20>;
	.reg .v4 .f32 v<2>;
	.reg .b64 %rd<9>;
	.local .align 16 .b8 __local_depot0[16];
	.loc 1 16 5
	ld.param.u64 %rd1, [p0];
	mov.b64 {%r1, _}, %rd1; /* comment */
	@!%p1 bra.uni $L__BB0_2;
	.loc 1 7 3, function_name $L__info_string0, inlined_at 1 16 5
	{ .reg .pred %p<2>; LAB: mbarrier.try_wait.parity.shared::cta.b64 %p1, [%r1+-8], 0; @%p1 bra DONE; bra LAB; DONE: }
	shfl.sync.bfly.b32 %r2|%p2, %r1, 0x10, 31, -1;
	cp.async.bulk.tensor.2d.shared::cluster.global.tile [%r1], [%rd1, {0, %r2}], [%r3];
	mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%r4,%r5},{%r6,%r7},{%r8},{%r4,%r5};
	mov.u32 %r9, %tid.x;
	mov.f32 v1.x, v0.y;
	mov.u32 %r10, smem;
ts: .branchtargets $L__BB0_2, END;
	brx.idx %r9, ts;
$L__BB0_2:
	.pragma "nounroll";
	{ .param .b64 param0; st.param.b64 [param0], %rd2; .param .b32 retval0;
	call.uni (retval0), vprintf, (param0, param0); }
proto: .callprototype (.param .b32 _) _ (.param .b64 _);
	call (%r1), %rd3, (%rd1), proto;
	setp.lt.and.s32 %p2|%p3, %r1, 5, !%p1;
END:	ret;
}
.alias other, helper;
.section	.debug_str
{
$L__info_string0:
.b8 95,90
.b8 0
}
)";

/// True if the text parses, or is refused with one short line that names the file. What is not an Error gets out.
bool is_answered(const std::string& text)
{
  const std::string error = error_of(text);
  return error.empty() || (error.starts_with("x.ptx:") && error.find('\n') == std::string::npos && error.size() < 300);
}

/// Words, numbers, blanks and single characters, which put together again give the text.
std::vector<std::string> tokens_of(std::string_view text)
{
  constexpr std::string_view kWord = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_$%";
  std::vector<std::string> tokens;
  while (!text.empty()) {
    std::size_t length = text.find_first_not_of(kWord);
    if (length == 0) length = 1;
    tokens.emplace_back(text.substr(0, length));
    text.remove_prefix(tokens.back().size());
  }
  return tokens;
}

std::string joined(const std::vector<std::string>& tokens)
{
  std::string text;
  for (const std::string& token : tokens) {
    text += token;
  }
  return text;
}

class Mutator
{
 public:
  explicit Mutator(std::uint32_t seed) : random_(seed), tokens_(tokens_of(kSeed)) {}

  std::string next()
  {
    std::vector<std::string> tokens = tokens_;
    for (std::size_t count = 1 + below(3); count > 0; --count) {
      change(tokens);
    }
    std::string text = joined(tokens);
    if (below(3) == 0) text[below(text.size())] = static_cast<char>(below(256));
    return text;
  }

 private:
  std::size_t below(std::size_t bound) { return random_() % bound; }

  void change(std::vector<std::string>& tokens)
  {
    const auto at = [&](std::size_t index) { return tokens.begin() + static_cast<std::ptrdiff_t>(index); };
    const std::size_t one = below(tokens.size());
    const std::size_t other = below(tokens.size());
    switch (below(5)) {
      case 0:
        tokens.erase(at(one));
        break;
      case 1:
        tokens.insert(at(one), std::string(tokens[other]));
        break;
      case 2:
        std::swap(tokens[one], tokens[other]);
        break;
      case 3:
        tokens[one] = kStrange[below(std::size(kStrange))];
        break;
      default:  // a piece of the text once more, somewhere else
        const std::vector<std::string> piece(at(other), at(std::min(other + 1 + below(40), tokens.size())));
        tokens.insert(at(one), piece.begin(), piece.end());
    }
  }

  static constexpr std::string_view kStrange[] = {"{",
                                                  "}",
                                                  "(",
                                                  ")",
                                                  "[",
                                                  "]",
                                                  "0",
                                                  "-",
                                                  "99999999999999999999",
                                                  "18446744073709551615",
                                                  "0x8000000000000000",
                                                  "<",
                                                  ">",
                                                  "0f",
                                                  "1e999",
                                                  "\"",
                                                  "/*",
                                                  "//",
                                                  ":",
                                                  "::",
                                                  ".",
                                                  "|",
                                                  "!",
                                                  "@",
                                                  "=",
                                                  "%",
                                                  "generic(",
                                                  "_",
                                                  "\n",
                                                  ",",
                                                  "WARP_SZ"};

  std::mt19937 random_;
  std::vector<std::string> tokens_;
};

std::string repeated(std::string_view piece, std::size_t count)
{
  std::string text;
  text.reserve(piece.size() * count);
  for (std::size_t i = 0; i < count; ++i) {
    text += piece;
  }
  return text;
}

/// FLASHGATE_PTX_MUTANTS asks for a longer run.
std::size_t mutant_count()
{
  const char* const count = std::getenv("FLASHGATE_PTX_MUTANTS");
  return count == nullptr ? 4000 : std::strtoull(count, nullptr, 10);
}

}  // namespace

TEST_CASE("the seed of the mutants parses") { CHECK(error_of(std::string(kSeed)) == ""); }

TEST_CASE("every beginning of a module parses or is refused")
{
  for (std::size_t length = 0; length < kSeed.size(); ++length) {
    CHECK(is_answered(std::string(kSeed.substr(0, length))));
  }
}

TEST_CASE("every module with one byte changed parses or is refused")
{
  for (const char byte : {'\0', '\n', '{', '}', '"', '\xff', '9', '%'}) {
    for (std::size_t position = 0; position < kSeed.size(); ++position) {
      std::string text(kSeed);
      text[position] = byte;
      CHECK(is_answered(text));
    }
  }
}

TEST_CASE("every mutant parses or is refused, and both happen")
{
  Mutator mutator(20240);
  std::size_t refused = 0;
  const std::size_t count = mutant_count();
  for (std::size_t i = 0; i < count; ++i) {
    const std::string mutant = mutator.next();
    CHECK(is_answered(mutant));
    refused += error_of(mutant).empty() ? 0 : 1;
  }
  CHECK(refused > count / 2);
  CHECK(refused < count);
}

TEST_CASE("nesting and size beyond reason are refused, not followed")
{
  constexpr std::size_t kMany = 200000;
  const std::string module = ".version 8.5 ";
  const std::string body = module + ".entry k { .reg .b32 r; ";
  const std::string refused[] = {
      body + repeated("{", kMany) + repeated("}", kMany) + "}",
      body + "x " + repeated("{", kMany) + "r" + repeated("}", kMany) + "; }",
      body + "x " + repeated("[r,", kMany) + "r" + repeated("]", kMany) + "; }",
      body + "x " + repeated("(", kMany) + "1" + repeated(")", kMany) + "; }",
      body + "x " + repeated("-", kMany) + "1; }",
      body + "x " + repeated("1?", kMany) + "1; }",
      body + "x " + repeated("1||1&&1|1^1&1==1<1<<1+", kMany) + "; }",
      body + "x " + repeated("9", 1 << 20) + "; }",
      body + "x 0x" + repeated("f", 1 << 20) + "; }",
      body + ".reg .b32 %q<4294967296>; }",
      body + ".reg .v4 .b32 %q<300000>; }",
      body + repeated(".reg .b32 %q<9999>; { ", 110) + repeated("}", 110) + "}",
      module + ".global .b8 x" + repeated("[2]", 100) + ";",
      module + ".global .b8 x[] = " + repeated("{", kMany) + repeated("}", kMany) + ";",
      module + ".global .b8 x[][1099511627776] = {" + repeated("{},", 9) + "{}};",
      module + ".global .b8 x[1099511627777];",
      module + repeated(".global .b8 x[2][9999999] = {{},{1}}; ", 10),
      module + ".entry k(" + repeated("(", kMany),
  };
  for (const std::string& text : refused) {
    CAPTURE(text.substr(0, 60));
    CHECK(is_answered(text));
    CHECK(error_of(text) != "");
  }
  const std::string accepted[] = {
      body + "x " + repeated("1+", kMany) + "1; }",
      body + "x {" + repeated("r,", kMany) + "r}; }",
      body + repeated("x r; ", kMany) + "}",
      module + repeated("/* { */ ", kMany),
      module + ".file 1 \"" + repeated("a", 1 << 20) + "\"",
      module + ".global .b8 x[] = {" + repeated("1,", kMany) + "1};",
  };
  for (const std::string& text : accepted) {
    CHECK(error_of(text) == "");
  }
}

}  // namespace flashgate::gpu::ptx
