#include <doctest/doctest.h>

#include "tests/gpu/emulator/ptx/snippet.h"

namespace flashgate::gpu::ptx {

TEST_CASE("labels belong to the braces they stand in")
{
  const ParsedBody parsed = body_of(
      ".reg .pred p;\n"
      "bra DONE;\n"                                      // 0
      "{ LAB: @p bra DONE; bra LAB; DONE: }\n"           // 1, 2; DONE = 3
      "{ LAB: @p bra DONE; { bra LAB; } DONE: ret; }\n"  // 3, 4; DONE = 5
      "DONE: ret; END:\n");                              // 6; END = 7
  CHECK(text_of(parsed) == "bra @6\n[p] bra @3\nbra @1\n[p] bra @5\nbra @3\nret\nret");
  REQUIRE(parsed.body.labels.size() == 6);
  CHECK(parsed.body.labels.front().name == "LAB");
  CHECK(parsed.body.labels.back().name == "END");
  CHECK(parsed.body.labels.back().instruction == 7);
}

TEST_CASE("registers and variables of an inner scope hide outer ones until it closes")
{
  const ParsedBody parsed = body_of(
      ".reg .b32 a, %r<4>; .shared .b8 s[4];\n"
      "{ .reg .b64 a, %r<2>; .shared .b8 s[8]; mov.b64 a, s; x %r1, %r3; { .reg .f32 %r1; y %r1; } }\n"
      "mov.b32 a, s; z %r1;\n");
  const FunctionBody& body = parsed.body;
  CHECK(text_of(parsed) == "mov.b64 r:a l:s\nx r:%r1 r:%r3\ny r:%r1\nmov.b32 r:a l:s\nz r:%r1");
  const auto type = [&](std::size_t instruction, std::size_t operand) {
    const Operand& reg = body.operands_of(body.instructions[instruction])[operand];
    return body.registers.at(static_cast<std::size_t>(reg.index)).type;
  };
  CHECK(type(0, 0) == Type::b64);
  CHECK(type(1, 0) == Type::b64);
  CHECK(type(1, 1) == Type::b32);  // the inner range is too short for %r3
  CHECK(type(2, 0) == Type::f32);
  CHECK(type(3, 0) == Type::b32);
  CHECK(type(4, 0) == Type::b32);
  const auto size = [&](std::size_t instruction) {
    const Operand& variable = body.operands_of(body.instructions[instruction])[1];
    return body.variables.at(static_cast<std::size_t>(variable.index)).size;
  };
  CHECK(size(0) == 8);
  CHECK(size(3) == 4);
}

TEST_CASE("a register range has as many registers as it says")
{
  const ParsedBody parsed = body_of(".reg .pred %p<3>; .reg .v2 .f32 %v<2>; .reg .b128 q; .reg .b32 %none<0>;");
  const FunctionBody& body = parsed.body;
  REQUIRE(body.registers.size() == 8);
  CHECK(name_of(body.registers[2]) == "%p2");
  CHECK(body.registers[2].type == Type::pred);
  CHECK(name_of(body.registers[5]) == "%v1");
  CHECK(name_of(body.registers[7]) == "q");
  CHECK(body.registers[7].type == Type::b128);
}

TEST_CASE("tables of branch targets are kept")
{
  const ParsedBody parsed = body_of(".reg .b32 %r<2>;\nts: .branchtargets A, B, A;\nbrx.idx %r1, ts;\nA: x;\nB: y;\n");
  CHECK(text_of(parsed) == "brx.idx r:%r1 bt:ts\nx\ny");
  REQUIRE(parsed.body.branch_targets.size() == 1);
  CHECK(parsed.body.branch_targets[0].targets == std::vector<std::uint32_t>{1, 2, 1});
}

TEST_CASE("prototypes keep sizes and alignment of what is passed")
{
  const ParsedBody parsed =
      body_of("pr: .callprototype (.param .b32 _) _ (.param .align 8 .b8 _[24], .param .u64 x) .noreturn;\n");
  const FunctionBody& body = parsed.body;
  REQUIRE(body.call_prototypes.size() == 1);
  const CallPrototype& prototype = body.call_prototypes[0];
  CHECK(prototype.no_return);
  REQUIRE(prototype.parameters.size() == 2);
  CHECK(prototype.parameters[0].size == 24);
  CHECK(prototype.parameters[0].alignment == 8);
  CHECK(prototype.parameters[1].name == "x");
  CHECK(prototype.return_parameters.at(0).type == Type::b32);
}

TEST_CASE("parameters in registers come first and may be hidden")
{
  const Module module = module_of(
      ".func (.reg .b32 r) f(.reg .f32 a, .param .b64 b) { .reg .b16 t; x r, a, t; ld.param.b64 r, [b]; { .reg .b64 a; "
      "y a; "
      "} }");
  ParsedBody parsed{module, parse_body(module, 0)};
  CHECK(text_of(parsed) == "x r:r r:a r:t\nld.param.b64 r:r [p:b]\ny r:a");
  REQUIRE(parsed.body.registers.size() == 4);
  CHECK(parsed.body.registers[0].type == Type::b32);
  CHECK(parsed.body.registers[1].type == Type::f32);
}

TEST_CASE("instructions know their line and an opcode is kept once")
{
  const ParsedBody parsed = body_of(".reg .b32 %r<3>;\nadd.s32 %r1, %r1, 1;\n\nadd.s32 %r2,\n %r2, 1;\nret;");
  const FunctionBody& body = parsed.body;
  REQUIRE(body.instructions.size() == 3);
  CHECK(body.instructions[0].line == 6);
  CHECK(body.instructions[1].line == 8);
  CHECK(body.instructions[2].line == 10);
  REQUIRE(body.opcodes.size() == 2);
  CHECK(body.opcodes[0].parts == std::vector<std::string_view>{"add", "s32"});
  CHECK(body.instructions[1].opcode == 0);
}

TEST_CASE("locations carry the function and the chain of calls")
{
  const ParsedBody parsed = body_of(
      "a;\n.loc 1 16 5\nb;\n.loc 2 7 3, function_name $L__info_string0, inlined_at 1 16 5\nc;\n"
      ".loc 2 9 1, function_name $L__info_string0+4, inlined_at 2 7 3\nd;\n.loc 2 0 0\ne;\n"
      ".loc 1 16 5\nf;\n.loc 2 7 3, function_name nowhere, inlined_at 3 1 1\ng;",
      ".file 1 \"a.cu\" .file 2 \"b.h\", 123, 456 .section .debug_str { $L__info_string0:\n.b8 95,90,78,49\n.b8 102,0 "
      "}");
  const FunctionBody& body = parsed.body;
  const auto location = [&](std::size_t instruction) { return body.instructions.at(instruction).location; };
  const auto at = [&](std::int32_t index) { return body.locations.at(static_cast<std::size_t>(index)); };
  CHECK(location(0) == kNone);
  CHECK(at(location(1)).line == 16);
  CHECK(at(location(1)).inlined_at == kNone);
  CHECK(at(location(2)).function == "_ZN1f");
  CHECK(at(location(2)).inlined_at == location(1));
  CHECK(at(location(3)).function == "f");
  CHECK(at(location(3)).inlined_at == location(2));
  CHECK(at(location(3)).column == 1);
  CHECK(location(4) == location(3));  // line 0 says nothing
  CHECK(location(5) == location(1));  // the same place again
  CHECK(at(location(6)).function.empty());
  CHECK(at(at(location(6)).inlined_at).file == 3);
  CHECK(parsed.module.files.at(2) == "b.h");
}

TEST_CASE("directives that are not known are skipped and listed")
{
  const ParsedBody parsed = body_of(".pragma \"nounroll; }\";\n.shiny 1, 2;\n.block { { } }\nret;",
                                    ".brilliant \"}\" 4; .glossy { { ; } \"}\" }");
  CHECK(text_of(parsed) == "ret");
  REQUIRE(parsed.body.skipped.size() == 2);
  CHECK(parsed.body.skipped[0].name == ".shiny");
  CHECK(parsed.body.skipped[0].line == 6);
  CHECK(parsed.body.skipped[1].name == ".block");
  REQUIRE(parsed.module.skipped.size() == 2);
  CHECK(parsed.module.skipped[0].name == ".brilliant");
  CHECK(parsed.module.skipped[1].name == ".glossy");
  CHECK(parsed.module.skipped[1].line == 4);
}

}  // namespace flashgate::gpu::ptx
