#include <string>

#include <doctest/doctest.h>

#include "tests/gpu/emulator/ptx/snippet.h"

namespace flashgate::gpu::ptx {
namespace {

struct Row
{
  std::string_view text;
  std::string_view expected;
};

const std::string kHeading = ".version 8.5\n.target sm_80\n.address_size 64\n";

}  // namespace

TEST_CASE("what is wrong in a module is one line with its place")
{
  const Row rows[] = {
      {"", "x.ptx:1: expected '.version', found the end of the text"},
      {"\n\nELF", "x.ptx:3: expected '.version', found 'ELF'"},
      {".version eight", "x.ptx:1: expected a version such as 8.5, found 'eight'"},
      {".version 8.5\nnonsense", "x.ptx:2: expected a directive, found 'nonsense'"},
      {".version 8.5\n/* forever", "x.ptx:2: expected '*/' to end this comment, found none"},
      {".version 8.5\n.file 1 \"a\n", "x.ptx:2: expected '\"' to end this string, found the end of the line"},
      {".version 8.5\n.global .f31 x;", "x.ptx:2: expected a type, found '.f31'"},
      {".version 8.5\n.global x;", "x.ptx:2: expected a type, found 'x'"},
      {".version 8.5\n.global .b32 x[2] = {1,2,3};", "x.ptx:2: expected '}' after 2 elements, found '3'"},
      {".version 8.5\n.global .b32 x = {1};", "x.ptx:2: expected a value, found '{'"},
      {".version 8.5\n.global .b32 x[2] = 1;", "x.ptx:2: expected '{', found '1'"},
      {".version 8.5\n.global .align 3 .b32 x;", "x.ptx:2: expected an alignment that is a power of two, found '3'"},
      {".version 8.5\n.global .b32 x[99999999999][99999];",
       "x.ptx:2: expected a variable of at most 2^40 bytes before this, found ';'"},
      {".version 8.5\n.global .b32 x[][99999999999][99999];",
       "x.ptx:2: expected a variable of at most 2^40 bytes before this, found ';'"},
      {".version 8.5\n.global .b8 x[2][99999999] = {{1},{2}};",
       "x.ptx:2: expected initialisers with less than 16 MiB of gaps before this, found '}'"},
      {".version 8.5\n.global .b32 x;\n.global .b64 x;", "x.ptx:3: expected a new name, found 'x' of line 2"},
      {".version 8.5\n.func f {}\n.func f {}", "x.ptx:3: expected a new name, found 'f' of line 2"},
      {".version 8.5\n.global .b64 x = generic(y);",
       "x.ptx:2: expected declared names in the initialiser of 'x', found 'y'"},
      {".version 8.5\n.alias f, g;", "x.ptx:2: expected a declared function, found 'g'"},
      {".version 8.5\n.entry k(.b32 x) {}", "x.ptx:2: expected '.param' or '.reg', found '.b32'"},
      {".version 8.5\n.entry k() {\n", "x.ptx:2: expected '}' to end this block, found the end of the text"},
      {".version 8.5\n.entry k() hello {}", "x.ptx:2: expected a directive, '{' or ';', found 'hello'"},
      {".version 8.5\n.entry k() .maxntid 99999999999 {}",
       "x.ptx:2: expected a number of at most 4294967295, found '99999999999'"},
  };
  for (const Row& row : rows) {
    CHECK(error_of(std::string(row.text)) == row.expected);
  }
}

TEST_CASE("what is wrong in a body is one line with its place")
{
  const Row rows[] = {
      {"mov.u32 %r1, 1", "x.ptx:7: expected ',' or ';', found '}'"},
      {"mov.u32 %r9, 1;", "x.ptx:6: expected a declared register, found '%r9'"},
      {"mov.u32 %r01, 1;", "x.ptx:6: expected a declared register, found '%r01'"},
      {"mov.u32 %r1, %tid.q;", "x.ptx:6: expected a declared register, found '%tid.q'"},
      {"mov.u32 %r1, %r1.x;", "x.ptx:6: expected a declared register, found '%r1.x'"},
      {"@%r1 ret;", "x.ptx:6: expected a predicate register, found '%r1'"},
      {"@%p9 ret;", "x.ptx:6: expected a predicate register, found '%p9'"},
      {"\n\nbra nowhere;", "x.ptx:8: expected a declared name, found 'nowhere'"},
      {"{ L: } bra L;", "x.ptx:6: expected a declared name, found 'L'"},
      {"L: ld.u32 %r1, [L];", "x.ptx:6: expected a variable, found 'L'"},
      {"L: bra L+4;", "x.ptx:6: expected a variable in front of an offset, found 'L'"},
      {"L: L: ret;",
       "x.ptx:6: expected a label that this scope does not have yet instead of 'L' in front of this, found 'ret'"},
      {".reg .b32 a, a;", "x.ptx:6: expected a name that this scope does not have yet instead of 'a', found ';'"},
      {".reg .b32 %r<5>;", "x.ptx:6: expected a name that this scope does not have yet instead of '%r', found ';'"},
      {".reg .b32 %q<999999999>;", "x.ptx:6: expected a number of registers of at most 1048565, found '999999999'"},
      {".reg .f31 a;", "x.ptx:6: expected the type of a register in front of this, found 'a'"},
      {"ld.u32 %r1, [%r1+%r1];", "x.ptx:6: expected a number, found '%r1'"},
      {"ld.u32 %r1, [{%r1}];", "x.ptx:6: expected an operand, found '{'"},
      {"ld.u32 %r1, [%tid.x];", "x.ptx:6: expected a register, a variable or a number, found '%tid'"},
      {"x 1/0;", "x.ptx:6: expected an operand that '/' is defined for, found '0'"},
      {"x 1.5%2;", "x.ptx:6: expected an operand that '%' is defined for, found '2'"},
      {"x 99999999999999999999;", "x.ptx:6: expected a number of at most 64 bits, found '99999999999999999999'"},
      {"x 0f123;", "x.ptx:6: expected a number of at most 64 bits, found '0f123'"},
      {"x 08;", "x.ptx:6: expected a number of at most 64 bits, found '08'"},
      {"x (.s32)1;", "x.ptx:6: expected a cast to .s64 or .u64 in front of this, found ')'"},
      {"call (%r1) f;", "x.ptx:6: expected ',', found 'f'"},
      {"t: .branchtargets f;", "x.ptx:6: expected a label, found 'f'"},
      {"L: t: .calltargets L;", "x.ptx:6: expected a function, found 'L'"},
      {".loc 1 2;", "x.ptx:6: expected a column number, found ';'"},
      {".loc 1 2 3, colour 4", "x.ptx:6: expected 'function_name' or 'inlined_at', found 'colour'"},
      {"= 5;", "x.ptx:6: expected an instruction, a directive or '}', found '='"},
      {"mov.u32 %r1, \x01\xff;", "x.ptx:6: expected an operand, found '\\x01'"},
  };
  for (const Row& row : rows) {
    const std::string text =
        kHeading + ".func f;\n.entry k() { .reg .b32 %r<9>; .reg .pred %p<2>;\n" + std::string(row.text) + "\n}\n";
    CHECK(error_of(text) == row.expected);
  }
}

TEST_CASE("a message shows a name's beginning only")
{
  const std::string text = kHeading + ".entry k() {\nmov " + std::string(1 << 20, 'a') + ";\n}";
  CHECK(error_of(text) == "x.ptx:5: expected a declared name, found '" + std::string(32, 'a') + "...'");
}

TEST_CASE("a body that is only declared can't be read")
{
  const Module module = module_of(".extern .func f;");
  CHECK_THROWS_WITH(parse_body(module, 0), "x.ptx:4: expected a body of 'f', found its declaration only");
}

}  // namespace flashgate::gpu::ptx
