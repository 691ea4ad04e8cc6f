#include <cmath>
#include <string>

#include <doctest/doctest.h>

#include "matrix/execution.h"
#include "matrix/execution_checks.h"
#include "matrix/execution_explanation.h"
#include "matrix/reference_backend.h"
#include "reference/error.h"

namespace flashgate::matrix {
namespace {

/// The reference backend with one thing about it changed.
class OddBackend : public ReferenceBackend
{
 public:
  std::string refused{};
  std::string thrown{};
  std::string hash{};
  void (*after)(KernelOutputs&) = [](KernelOutputs&) {};
  void (*after_second)(KernelOutputs&) = [](KernelOutputs&) {};

  std::string kernel_hash(const NumericsCase&) const override { return hash; }
  std::string refusal(const NumericsCase&) const override { return refused; }
  void run(const KernelCall& call, KernelOutputs& outputs) const override
  {
    if (!thrown.empty()) throw Error(thrown);
    ReferenceBackend::run(call, outputs);
    after(outputs);
    if (call.run == 1) after_second(outputs);
  }
};

ExecutionResult executed(const std::string& name, const Backend& backend = ReferenceBackend())
{
  return execute(parse_numerics_case(name), backend);
}

/// The check and verdict of the worst finding: "numerics fail".
std::string worst(const ExecutionResult& result)
{
  const ExecutionFinding* finding = result.worst_finding();
  if (finding == nullptr) return "pass";
  return std::string(finding->check_id) + " " + std::string(verdict_name(finding->verdict));
}

std::string worst_after(const std::string& name, void (*after)(KernelOutputs&))
{
  OddBackend backend;
  backend.after = after;
  return worst(executed(name, backend));
}

}  // namespace

TEST_CASE("the reference backend passes, forward and backward, on one rank and on several")
{
  for (const char* name :
       {"v3", "v2/direction=backward,heads=6/2", "v4/family=causal,seqlen=1", "v3/direction=backward,seqlen=1",
        "v3/family=qk_sparse,cp_size=4,direction=backward,deterministic=on", "naive/fill=padding_poison,seqlen=65/1",
        "v2/family=causal,seqlen=64/128,cp_size=2", "v4/head_dim=192/128,dtype=fp16,scale=set,batch=2"}) {
    const ExecutionResult result = executed(name);
    CHECK_MESSAGE(result.verdict == Verdict::pass, name, ": ", worst(result));
    CHECK(result.tensors.size() == (is_backward(result.numerics) ? 3 : 2));
    CHECK(result.evidence == "none");
  }
}

TEST_CASE("runs are compared where bits are promised, and judged where they are not")
{
  OddBackend varies;
  varies.after_second = [](KernelOutputs& k) { k.backward.dq(0, 0, 3, 5) *= 1.001; };
  CHECK(worst(executed("v3/direction=backward,deterministic=on", varies)) == "bitwise fail");
  const ExecutionResult excused = executed("v3/direction=backward", varies);
  CHECK(worst(excused) == "pass");
  CHECK(excused.runs == 2);
  CHECK_FALSE(excused.tensors[0].promises_bits);
  CHECK(excused.tensors[0].results == 2);
  CHECK(excused.tensors[1].results == 1);

  OddBackend wrong;
  wrong.after_second = [](KernelOutputs& k) { k.backward.dq(0, 0, 3, 5) += 1; };
  CHECK(worst(executed("v3/direction=backward", wrong)) == "numerics fail");
}

TEST_CASE("what a device finds counts once per check, and a kernel that does not end is not judged")
{
  OddBackend racing;
  racing.after = [](KernelOutputs& k) { k.findings.push_back({"race", Verdict::fail, "two warps"}); };
  CHECK(executed("v3", racing).findings.size() == 1);

  OddBackend hanging;
  hanging.after = [](KernelOutputs& k) {
    k.findings.push_back({"hang", Verdict::hang, "nobody can go on"});
    k.ended = false;
    k.forward.o(0, 0, 3, 5) = kUnwritten;
  };
  const ExecutionResult hung = executed("v3", hanging);
  CHECK(worst(hung) == "hang hang");
  CHECK(hung.findings.size() == 1);
  CHECK(hung.tensors.empty());
  CHECK(hung.runs == 1);
}

TEST_CASE("an execution is a pure function of its case")
{
  const ExecutionResult first = executed("v3/direction=backward,family=random_eviction,seed=5");
  const ExecutionResult second = executed("v3/direction=backward,family=random_eviction,seed=5");
  REQUIRE(first.tensors.size() == 3);
  for (std::size_t n = 0; n < 3; ++n) {
    CHECK(first.tensors[n].metrics.bound_ratio == second.tensors[n].metrics.bound_ratio);
    CHECK(first.tensors[n].metrics.ulp_histogram == second.tensors[n].metrics.ulp_histogram);
  }
}

TEST_CASE("a digest covers case, backend and code")
{
  const NumericsCase numerics = parse_numerics_case("v3");
  OddBackend other;
  CHECK(execution_digest(numerics, ReferenceBackend()) == execution_digest(numerics, other));
  other.hash = "1234";
  CHECK(execution_digest(numerics, ReferenceBackend()) != execution_digest(numerics, other));
  CHECK(execution_digest(numerics, other) != execution_digest(parse_numerics_case("v3/seed=2"), other));
  CHECK(execution_digest(numerics, other).size() == 32);
}

TEST_CASE("what can't run is a skip with its reason, what throws is an error, neither is a pass")
{
  OddBackend refusing;
  refusing.refused = "kernel not built yet";
  const ExecutionResult refused = executed("v3", refusing);
  CHECK(worst(refused) == "support skip");
  CHECK(refused.worst_finding()->detail == "kernel not built yet");
  CHECK(refused.evidence == "none");
  CHECK(refused.tensors.empty());
  CHECK(worst(executed("v3/cp_size=2,seqlen=65")) == "support skip");

  OddBackend broken;
  broken.thrown = "no such device";
  CHECK(worst(executed("v3", broken)) == "error error");
}

TEST_CASE("each check is blamed for its own elements")
{
  CHECK(worst_after("v3", [](KernelOutputs& k) { k.forward.o(0, 0, 3, 5) = kUnwritten; }) == "unwritten fail");
  CHECK(worst_after("v3", [](KernelOutputs& k) { k.forward.o(0, 0, 3, 5) = NAN; }) == "nonfinite fail");
  CHECK(worst_after("v3/fill=masked_nan", [](KernelOutputs& k) { k.forward.o(0, 0, 3, 5) = NAN; }) ==
        "masked_nan warn");
  CHECK(worst_after("v3", [](KernelOutputs& k) { k.forward.o(0, 0, 3, 5) += 1; }) == "numerics fail");
  CHECK(worst_after("v3", [](KernelOutputs& k) { k.forward.lse(0, 1, 3, 0) += 1; }) == "numerics fail");
  CHECK(worst_after("v3/family=fully_masked_rows", [](KernelOutputs& k) { k.forward.lse(0, 0, 40, 0) = INFINITY; }) ==
        "lse_layout fail");
}

TEST_CASE("a masked_nan fill excuses NaN, not wrong numbers")
{
  CHECK(worst_after("v3/fill=masked_nan", [](KernelOutputs& k) {
          k.forward.o(0, 0, 3, 5) = NAN;
          k.forward.o(0, 0, 4, 5) += 1;
        }) == "numerics fail");
}

TEST_CASE("bits are promised by forward, by deterministic mode, and where nothing is added across groups")
{
  const auto promised = [](const char* name, std::string_view tensor) {
    return promises_bits(parse_numerics_case(name), tensor);
  };
  CHECK(promised("v3", "O"));
  CHECK(promised("v3/direction=backward,deterministic=on", "dQ"));
  CHECK_FALSE(promised("v3/direction=backward,heads=4/4", "dQ"));
  CHECK(promised("v3/direction=backward,heads=4/4", "dK"));
  CHECK_FALSE(promised("v3/direction=backward,heads=8/1", "dK"));
}

TEST_CASE("the checks' ids are known and different")
{
  for (const ExecutionCheck& check : execution_checks()) {
    CHECK_FALSE(check.title.empty());
    CHECK(std::ranges::count(execution_checks(), check.id, &ExecutionCheck::id) == 1);
  }
}

TEST_CASE("zeros that the mask forces are counted apart")
{
  const NumericsCase numerics = parse_numerics_case("v3/family=causal,seqlen=64");
  const ForcedShares shares = forced_shares(to_problem(numerics), make_mask(numerics, to_problem(numerics)));
  CHECK(shares.masked_rows == 0);
  CHECK(shares.lonely_rows == doctest::Approx(1.0 / 64));  // row 0 sees key 0 alone
  CHECK(shares.hidden_keys == 0);
  CHECK(shares.lonely_keys == 0);

  const NumericsCase tall = parse_numerics_case("v3/family=causal,seqlen=128/64");
  CHECK(forced_shares(to_problem(tall), make_mask(tall, to_problem(tall))).masked_rows == doctest::Approx(0.5));
  const NumericsCase wide = parse_numerics_case("v2/family=causal,seqlen=64/128");
  CHECK(forced_shares(to_problem(wide), make_mask(wide, to_problem(wide))).hidden_keys == doctest::Approx(0.5));
}

TEST_CASE("data that shows nothing is mistrusted")
{
  // The mask hides every element; a selection leaves such cases out, execute() does not run them.
  CHECK(worst(executed("v3/family=causal_document,seqlen=128/64")) == "support skip");
  // One bit of O in a thousand could differ: all but one row of V is zero.
  ExecutionOracle oracle = make_oracle(parse_numerics_case("v3"));
  for (double& value : oracle.inputs.v)
    value = 0;
  for (ExpectedTensor& tensor : oracle.tensors)
    if (tensor.tensor.name == "O") std::fill(tensor.value.begin(), tensor.value.end(), 0.0);
  CHECK(worst(execute(oracle, ReferenceBackend())) == "trust mistrusted");
}

TEST_CASE("an explanation names the worst element, its tile, what it sees and the bound")
{
  OddBackend backend;
  backend.after = [](KernelOutputs& k) { k.forward.o(0, 2, 100, 7) += 1; };
  const ExecutionExplanation explanation = explain_execution(parse_numerics_case("v3/family=causal"), backend);
  REQUIRE(explanation.worst.size() == 2);
  const WorstElement& worst_o = explanation.worst.front();
  CHECK(index_text(worst_o.index) == "[0, 2, 100, 7]");
  CHECK(worst_o.tile == 1);
  CHECK(worst_o.visible == 101);
  CHECK(worst_o.bound_ratio > 1);
  CHECK(worst_o.why.find("101 visible keys") != std::string::npos);
  CHECK(explanation.result.worst_finding()->detail.find("[0, 2, 100, 7]") != std::string::npos);

  const ExecutionExplanation backward =
      explain_execution(parse_numerics_case("v2/family=causal,direction=backward,heads=8/1"), ReferenceBackend());
  REQUIRE(backward.worst.size() == 3);
  CHECK(backward.worst[1].tensor == "dK");
  CHECK(backward.worst[1].visible == 8 * (128 - backward.worst[1].index.s));
  CHECK(backward.worst[1].why.find("rounded 1 time(s)") != std::string::npos);
}

}  // namespace flashgate::matrix
