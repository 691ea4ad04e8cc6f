#include "matrix/numerics_case.h"

#include <random>
#include <set>
#include <string>

#include <doctest/doctest.h>

#include "reference/error.h"
#include "tests/matrix/store_fixture.h"

namespace flashgate::matrix {
namespace {

using Id = NumericsAxisId;

NumericsCase drawn_case(std::mt19937& generator)
{
  NumericsCase numerics;
  for (const NumericsAxis& axis : numerics_axes())
    numerics[axis.id] = static_cast<std::uint8_t>(generator() % axis.values.size());
  numerics.seed = generator() % 3 == 0 ? static_cast<std::uint32_t>(generator()) : 1;
  return numerics;
}

std::string parse_error(const std::string& name)
{
  return error_of([&] { parse_numerics_case(name); });
}

}  // namespace

TEST_CASE("the axes of the numerics matrix stand in the order of their ids, with different names and values")
{
  std::set<std::string_view> names;
  CHECK(numerics_axes().size() == kNumericsAxisCount);
  for (std::size_t n = 0; n < numerics_axes().size(); ++n) {
    const NumericsAxis& axis = numerics_axes()[n];
    CHECK(static_cast<std::size_t>(axis.id) == n);
    CHECK(names.insert(axis.name).second);
    CHECK_FALSE(axis.help.empty());
    std::set<std::string_view> values;
    for (const AxisValue& value : axis.values)
      CHECK_MESSAGE(values.insert(value.text).second, axis.name, " ", value.text);
  }
}

TEST_CASE("values that other tables have are not repeated: head dims, families and fills are all there")
{
  CHECK(numerics_axis(Id::head_dim).values.size() == axis(AxisId::head_dim).values.size());
  CHECK(numerics_axis(Id::family).values.size() == reference::families().size());
  CHECK(numerics_axis(Id::fill).values.size() == reference::fills().size());
}

TEST_CASE("a name holds what differs from the default, and a family's upstream encoding is its default")
{
  CHECK(numerics_name(parse_numerics_case("v3")) == "v3");
  CHECK(numerics_name(parse_numerics_case("v3/family=causal_document,seqlen=129/257")) ==
        "v3/family=causal_document,seqlen=129/257");
  const NumericsCase numerics = parse_numerics_case("v2/seed=7,family=fully_masked_rows,causal=no,mask_columns=4");
  CHECK(numerics_name(numerics) == "v2/family=fully_masked_rows,causal=no,mask_columns=4,seed=7");
  CHECK(numerics_name(parse_numerics_case("naive/head_dim=64/64,seqlen=65/65")) == "naive/head_dim=64,seqlen=65");
}

TEST_CASE("every case's name parses back to the case, and no two cases share a name")
{
  std::mt19937 generator(7);
  std::set<std::string> names;
  std::set<NumericsCase> cases;
  for (int n = 0; n < 5000; ++n) {
    const NumericsCase numerics = drawn_case(generator);
    const std::string name = numerics_name(numerics);
    CHECK(parse_numerics_case(name) == numerics);
    names.insert(name);
    cases.insert(numerics);
  }
  CHECK(names.size() == cases.size());
}

TEST_CASE("a case in a cell is named by both, and parses back")
{
  const std::string name = "rr_flashmask/head_dim=192/128,v4_import=no//v4/head_dim=192/128,seqlen=1/129";
  const CellCase cell_case = parse_cell_case(name);
  CHECK(parse_cell_case(cell_case_name(cell_case)) == cell_case);
  CHECK(cell_case_name(cell_case) == "rr_flashmask/v4_import=no,head_dim=192/128//v4/head_dim=192/128,seqlen=1/129");
  CHECK(error_of([] { parse_cell_case("rr_flashmask"); }).find("expected DISPATCH_CELL//NUMERICS") !=
        std::string::npos);
}

TEST_CASE("what does not parse gets one line that says what was expected")
{
  CHECK(parse_error("v5").find("axis kernel has no value 'v5', expected one of v3, v2, v4, naive") !=
        std::string::npos);
  CHECK(parse_error("v3/colour=red").find("there is no axis 'colour', expected one of dtype, ") != std::string::npos);
  CHECK(parse_error("v3/dtype").find("expected axis=value") != std::string::npos);
  CHECK(parse_error("v3/dtype=bf16,dtype=fp16").find("dtype is given twice") != std::string::npos);
  CHECK(parse_error("v3/seed=1,seed=1").find("seed is given twice") != std::string::npos);
  CHECK(parse_error("v3/seed=x").find("seed 'x' is no number") != std::string::npos);
  CHECK(parse_error("v3/kernel=v2").find("the kernel stands first") != std::string::npos);
}

TEST_CASE("constraints name what they exclude, and read no axis that they do not list")
{
  const auto reason = [](const char* name) { return std::string(excluded_by(parse_numerics_case(name))); };
  CHECK(reason("v3").empty());
  CHECK(reason("v3/family=document,causal=yes").find("can't be written") != std::string::npos);
  CHECK(reason("v3/mask_heads=kv").find("no mask heads") != std::string::npos);
  CHECK(reason("v3/family=document,heads=8/1,mask_heads=kv").find("another name") != std::string::npos);
  CHECK(reason("v2/family=document,mask_heads=q").find("v3's alone") != std::string::npos);
  CHECK(reason("v3/cp_size=2,seqlen=65").find("divide") != std::string::npos);
  CHECK(reason("v3/cp_size=8,seqlen=64/128").empty());
  CHECK(reason("v2/scale=set").find("v2 takes no softmax_scale") != std::string::npos);
  CHECK(reason("v3/fill=zero_scores,direction=backward").find("dQ is zero") != std::string::npos);
  CHECK(reason("v3/family=causal_document,seqlen=128/64").find("hides every element") != std::string::npos);
  CHECK(reason("v3/seqlen=512,heads=8/1").find("more scores") != std::string::npos);

  std::mt19937 generator(11);
  for (int n = 0; n < 2000; ++n) {
    const NumericsCase numerics = drawn_case(generator);
    for (const NumericsConstraint& constraint : numerics_constraints()) {
      NumericsCase other = drawn_case(generator);
      for (const NumericsAxisId id : constraint.reads)
        other[id] = numerics[id];
      CHECK_MESSAGE(constraint.allows(numerics) == constraint.allows(other), constraint.name);
    }
  }
}

TEST_CASE("a case becomes a problem with its kernel's causal corner")
{
  CHECK(to_problem(parse_numerics_case("v2/family=causal")).causal == reference::Causal::top_left);
  CHECK(to_problem(parse_numerics_case("v3/family=causal")).causal == reference::Causal::bottom_right);
  CHECK(to_problem(parse_numerics_case("v3")).causal == reference::Causal::none);
  const reference::Problem p =
      to_problem(parse_numerics_case("v4/head_dim=192/128,seqlen=257/129,heads=6/2,batch=2,dtype=fp16"));
  CHECK(p.head_dim == 192);
  CHECK(p.head_dim_v == 128);
  CHECK(p.seqlen_q == 257);
  CHECK(p.seqlen_k == 129);
  CHECK(p.num_heads == 6);
  CHECK(p.num_heads_kv == 2);
  CHECK(p.batch == 2);
  CHECK(p.dtype == reference::Dtype::fp16);
}

}  // namespace flashgate::matrix
