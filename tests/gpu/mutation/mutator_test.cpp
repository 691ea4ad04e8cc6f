// The mutator and its bookkeeping, on a line or two.
#include <algorithm>
#include <filesystem>
#include <fstream>

#include <doctest/doctest.h>

#include "reference/error.h"
#include "tests/gpu/mutation/mutation_rules.h"
#include "tests/gpu/mutation/mutation_table.h"
#include "tests/temporary_folder.h"

namespace flashgate::gpu::mutation {
namespace {

using Texts = std::vector<std::string>;

Texts apply(const std::string& rule, const std::string& text)
{
  for (const MutationRule& row : mutation_rules())
    if (row.name == rule) return row.apply(*parse_line(text));
  FAIL("no such rule: " << rule);
  return {};
}

TEST_CASE("an instruction that is taken apart and put together again is the same")
{
  for (const std::string text : {"@!%p3 bra $L__BB0_2;", "bar.sync 0;", "ld.param.v2.u32 {%r1, %r2}, [a_param_0+344];",
                                 "mma.sync.aligned.m16n8k16 {%f1, %f2}, {%r1, %r2}, {%r3, %r4}, {%f1, %f2};", "ret;"})
    CHECK(to_text(parse_line("\t" + text + "\r").value()) == text);
  for (const std::string text : {"", "$L__BB0_2:", ".reg .b32 %r<4>;", "// comment;", "{ cvt.rn.bf16.f32 %rs1, %f1;}"})
    CHECK(!parse_line(text));
}

TEST_CASE("rules change what they say and nothing else")
{
  CHECK(apply("barrier removed", "bar.sync 0;") == Texts{"", "bar.warp.sync 0xffffffff;"});
  CHECK(apply("wait weakened", "cp.async.wait_group 1;") == Texts{"", "cp.async.wait_group 2;"});
  CHECK(apply("comparison shifted", "setp.lt.s32 %p1, %r1, %r2;") == Texts{"setp.le.s32 %p1, %r1, %r2;"});
  CHECK(apply("guard ignored", "@%p1 bra $L;") == Texts{"", "bra $L;"});
  CHECK(apply("choices swapped", "selp.b32 %r1, 16, 0, %p1;") == Texts{"selp.b32 %r1, 0, 16, %p1;"});
  CHECK(apply("factor dropped", "mul.f32 %f1, %f2, %f3;") == Texts{"mov.f32 %f1, %f2;", "mov.f32 %f1, %f3;"});
  CHECK(apply("address moved", "st.shared.u32 [%r1+1280], %r2;") == Texts{"st.shared.u32 [%r1+1284], %r2;"});
  CHECK(apply("mma operands swapped", "mma.sync {%f1}, {%r1, %r2, %r3, %r4}, {%r5, %r6}, {%f1};") ==
        Texts{"mma.sync {%f1}, {%r1, %r3, %r2, %r4}, {%r5, %r6}, {%f1};",
              "mma.sync {%f1}, {%r1, %r2, %r3, %r4}, {%r6, %r5}, {%f1};"});
  CHECK(apply("barrier removed", "ret;").empty());
}

TEST_CASE("a mutant changes its line and no other")
{
  Mutant mutant;
  mutant.line = 2;
  mutant.after = "bra $L;";
  CHECK(mutated_text("one\ntwo\nthree\n", mutant) == "one\nbra $L;\nthree\n");
}

MutantResult survivor_of(const std::string& rule, const std::string& source)
{
  MutantResult result;
  result.mutant.entry = "v2_forward";
  result.mutant.rule = rule;
  result.mutant.source = source;
  return result;
}

TEST_CASE("survivors without an explanation, and explanations without a survivor, are objected to")
{
  const std::vector<Explanation> rows{{"v2_", "copy removed", "load(q)", "same bits", "equivalent", "", 1},
                                      {"v2_", "*", "store(o)", "same bits", "gap", "", 2}};
  const std::vector<MutantResult> results{survivor_of("copy removed", "load(q);"),
                                          survivor_of("copy removed", "other")};
  CHECK(objections(results, rows).size() == 2);
  CHECK(objections({results[0], survivor_of("store removed", "store(o)")}, rows).empty());
  MutantResult rounding = results[0];
  rounding.survival = Survival::rounding;  // not what the line says of it
  CHECK(objections({results[0], rounding, survivor_of("guard ignored", "store(o)")}, rows).size() == 1);
}

TEST_CASE("equivalent mutants count as neither found nor missed")
{
  const std::vector<Explanation> rows{{"v2_", "copy removed", "load(q)", "same bits", "equivalent", "", 1}};
  MutantResult found = survivor_of("copy removed", "load(k)");
  found.trial.found_by = "numerics";
  const MutantCounts counts = count_mutants({found, survivor_of("copy removed", "load(q)")}, rows);
  CHECK(counts.equivalent == 1);
  CHECK(counts.found_share() == 1.0);
}

TEST_CASE("a file of explanations that can't be read is refused by line")
{
  const tests::TemporaryFolder folder;
  const std::string path = (folder.path() / "explained.tsv").string();
  std::ofstream(path) << "# comment\nv2_\tcopy removed\tload\tsame bits\tperhaps\treason\n";
  CHECK_THROWS_WITH_AS(read_explanations(path),
                       (path + ":2: expected unreached, same bits or rounding, then equivalent or gap, not 'same "
                               "bits', 'perhaps'")
                           .c_str(),
                       Error);
  std::ofstream(path) << "v2_\tcopy removed\n";
  CHECK_THROWS_WITH_AS(read_explanations(path), (path + ":1: expected 6 columns, found 2").c_str(), Error);
}

}  // namespace
}  // namespace flashgate::gpu::mutation
