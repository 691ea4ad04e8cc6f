#include <vector>

#include <doctest/doctest.h>

#include "tests/gpu/emulator/ptx/snippet.h"

namespace flashgate::gpu::ptx {
namespace {

struct VariableRow
{
  std::string_view text;
  StateSpace space;
  Type type;
  std::uint64_t size;
  std::uint32_t alignment;
  Linkage linkage;
};

using Bytes = std::vector<std::uint8_t>;

struct ImageRow
{
  std::string_view text;
  std::uint64_t size;
  Bytes image;
};

}  // namespace

TEST_CASE("the heading says version, target and address size")
{
  const Module module = parse_module(
      "// Generated\n/* by hand */\n.version 8.10\n.target sm_100a, texmode_independent, debug\n.address_size 64\n",
      "x.ptx");
  CHECK(module.version_major == 8);
  CHECK(module.version_minor == 10);
  CHECK(module.target == std::vector<std::string_view>{"sm_100a", "texmode_independent", "debug"});
  CHECK(module.address_size == 64);
  CHECK(parse_module(".version 1.4", "x.ptx").address_size == 32);
}

TEST_CASE("variables have a space, a type, a size and an alignment")
{
  const VariableRow rows[] = {
      {".global .u32 v;", StateSpace::global, Type::u32, 4, 4, Linkage::internal},
      {".visible .global .align 16 .b8 v[100];", StateSpace::global, Type::b8, 100, 16, Linkage::visible},
      {".extern .shared .align 1024 .b8 v[];", StateSpace::shared, Type::b8, 0, 1024, Linkage::external},
      {".const .align 8 .f64 v[3][4];", StateSpace::constant, Type::f64, 96, 8, Linkage::internal},
      {".weak .const .v4 .f32 v[2];", StateSpace::constant, Type::f32, 32, 16, Linkage::weak},
      {".common .global .attribute(.managed, .unified(1,2)) .b64 v[2*3];", StateSpace::global, Type::b64, 48, 8,
       Linkage::common},
      {".global .texref v;", StateSpace::global, Type::texref, 8, 8, Linkage::internal},
      {".shared.b32 a, v, c[4];", StateSpace::shared, Type::b32, 4, 4, Linkage::internal},
  };
  for (const VariableRow& row : rows) {
    CAPTURE(row.text);
    const Module module = module_of(row.text);
    const Variable* variable = module.find_variable("v");
    REQUIRE(variable != nullptr);
    CHECK(variable->space == row.space);
    CHECK(variable->type == row.type);
    CHECK(variable->size == row.size);
    CHECK(variable->alignment == row.alignment);
    CHECK(variable->linkage == row.linkage);
    CHECK(variable->line == 4);
  }
}

TEST_CASE("initialisers become bytes of the variable's type")
{
  const ImageRow rows[] = {
      {".global .u32 v = 258;", 4, {2, 1, 0, 0}},
      {".global .s16 v[4] = {-1, 0x102};", 8, {255, 255, 2, 1}},
      {".global .b8 v[] = {72, 105, 0};", 3, {72, 105, 0}},
      {".global .u8 v = 256+3;", 1, {3}},
      {".global .f32 v[2] = {1.0, 0f40000000};", 8, {0, 0, 128, 63, 0, 0, 0, 64}},
      {".global .f32 v = 2;", 4, {0, 0, 0, 64}},
      {".global .f64 v = 0f3F800000;", 8, {0, 0, 0, 0, 0, 0, 240, 63}},
      {".global .b32 v = 0f3F800000;", 4, {0, 0, 128, 63}},
      {".global .b64 v = 1.0;", 8, {0, 0, 0, 0, 0, 0, 240, 63}},
      {".global .u8 v[2][3] = {{1}, {2, 3}};", 6, {1, 0, 0, 2, 3}},
      {".global .u8 v[][2] = {{1, 2}, {3, 4}, {}};", 6, {1, 2, 3, 4}},
      {".global .v2 .u8 v[2] = {{1, 2}, {3, 4}};", 4, {1, 2, 3, 4}},
      {".global .u8 v[4] = {};", 4, {}},
      {".global .b128 v = 5;", 16, {5, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0}},
  };
  for (const ImageRow& row : rows) {
    CAPTURE(row.text);
    const Module module = module_of(row.text);
    const Variable* variable = module.find_variable("v");
    REQUIRE(variable != nullptr);
    CHECK(variable->size == row.size);
    CHECK(variable->initial == row.image);
  }
}

TEST_CASE("addresses in initialisers become relocations")
{
  const Module module = module_of(
      ".global .b64 v[4] = {a, generic(b)+8, 7, c-4};\n.global .b8 w[3] = {0xFF(a), 0xFF00(generic(b)), 1};\n"
      ".global .b32 a, b;\n.func c;\n");
  const std::vector<Relocation>& whole = module.find_variable("v")->relocations;
  REQUIRE(whole.size() == 3);
  CHECK(whole[0].symbol == "a");
  CHECK(whole[0].size == 8);
  CHECK_FALSE(whole[0].generic);
  CHECK(whole[1].symbol == "b");
  CHECK(whole[1].generic);
  CHECK(whole[1].offset == 8);
  CHECK(whole[1].addend == 8);
  CHECK(whole[2].offset == 24);
  CHECK(whole[2].addend == -4);
  const std::vector<Relocation>& bytes = module.find_variable("w")->relocations;
  REQUIRE(bytes.size() == 2);
  CHECK(bytes[0].size == 1);
  CHECK(bytes[0].shift == 0);
  CHECK(bytes[1].shift == 8);
  CHECK(bytes[1].generic);
  CHECK(bytes[1].offset == 1);
}

TEST_CASE("the head of an entry has parameters and performance directives")
{
  const Module module = module_of(
      ".visible .entry k(\n .param .u64 .ptr .global .align 4 p,\n .param .align 64 .b8 s[3072], .param .u32 n)\n"
      ".maxntid 128, 2\n.minnctapersm 3\n.maxnreg 255\n.reqnctapercluster 2, 1, 1\n.explicitcluster\n.novelty 5, 6\n"
      ".pragma \"a\";\n{ ret; }\n.entry bare { ret; }\n.entry fixed() .reqntid 64 { }");
  const Function* function = module.find_function("k");
  REQUIRE(function != nullptr);
  CHECK(function->is_entry);
  CHECK(function->linkage == Linkage::visible);
  CHECK(function->line == 4);
  REQUIRE(function->parameters.size() == 3);
  CHECK(function->parameters[0].is_pointer);
  CHECK(function->parameters[0].pointer_space == StateSpace::global);
  CHECK(function->parameters[0].pointer_alignment == 4);
  CHECK(function->parameters[0].alignment == 8);
  CHECK(function->parameters[1].size == 3072);
  CHECK(function->parameters[1].alignment == 64);
  CHECK(function->parameters[2].type == Type::u32);
  CHECK(function->maxntid == std::array<std::uint32_t, 3>{128, 2, 1});
  CHECK(function->minnctapersm == 3U);
  CHECK(function->maxnreg == 255U);
  CHECK(function->reqnctapercluster == std::array<std::uint32_t, 3>{2, 1, 1});
  CHECK(function->explicit_cluster);
  CHECK_FALSE(function->reqntid.has_value());
  CHECK(function->body == "{ ret; }");
  CHECK(function->body_line == 14);
  REQUIRE(module.skipped.size() == 1);
  CHECK(module.skipped[0].name == ".novelty");
  CHECK(module.find_function("bare")->has_body);
  CHECK(module.find_function("fixed")->reqntid == std::array<std::uint32_t, 3>{64, 1, 1});
}

TEST_CASE("declarations, definitions and aliases of functions are one")
{
  const Module module = module_of(
      ".extern .func (.param .b32 r) vprintf(.param .b64 a, .param .b64 b);\n"
      ".func f(.param .b32 a);\n.weak .func f(.param .b32 a) { ret; }\n.func f(.param .b32 a);\n"
      ".visible .func g();\n.alias g, f;\n.extern .func stop() .noreturn;\n"
      ".extern .global .b32 e;\n.visible .global .b32 e = 3;\n");
  const Function* external = module.find_function("vprintf");
  REQUIRE(external != nullptr);
  CHECK_FALSE(external->has_body);
  CHECK(external->linkage == Linkage::external);
  CHECK(external->return_parameters.size() == 1);
  CHECK(external->parameters.size() == 2);
  CHECK(module.find_function("f")->has_body);
  CHECK(module.find_function("f")->linkage == Linkage::weak);
  CHECK(module.find_function("g") == module.find_function("f"));
  CHECK(module.find_function("stop")->no_return);
  CHECK(module.find_function("h") == nullptr);
  CHECK(module.find_variable("e")->linkage == Linkage::visible);
  CHECK(module.variables.size() == 1);
}

TEST_CASE("a body is read when it is asked for, and not before")
{
  const Module module =
      module_of(".entry good { ret; }\n.entry bad { /* } */ this is wrong; // }\n not. a \"}\" body; }\n");
  CHECK(module.functions.size() == 2);
  CHECK(parse_body(module, 0).instructions.size() == 1);
  CHECK_THROWS_WITH(parse_body(module, 1), "x.ptx:5: expected ',' or ';', found 'wrong'");
}

TEST_CASE("bodies stay valid when their module moves")
{
  Module module = module_of(
      ".file 1 \"a\" .section .debug_str { s: .b8 102, 0 }\n.entry k { .loc 1 1 1, function_name s, inlined_at 1 2 3\n "
      "ret; }");
  const FunctionBody body = parse_body(module, 0);
  const Module moved = std::move(module);
  CHECK(body.opcodes.at(0).text == "ret");
  CHECK(body.locations.back().function == "f");
  CHECK(moved.functions.at(body.function).name == "k");
}

TEST_CASE("types and spaces know their names")
{
  CHECK(type_named("bf16x2") == Type::bf16x2);
  CHECK(type_named("nonsense") == Type::none);
  CHECK(size_in_bytes(Type::b128) == 16);
  CHECK(name_of(Type::e5m2x2) == "e5m2x2");
  CHECK(space_named("shared::cluster") == StateSpace::shared);
  CHECK(space_named("const") == StateSpace::constant);
  CHECK(space_named("heap") == StateSpace::generic);
  CHECK(name_of(StateSpace::constant) == "const");
}

}  // namespace flashgate::gpu::ptx
