// The text of the subject protocol: what is sent, what is understood, and what is refused with which words.
#include "sim/dispatch/subject_protocol.h"

#include <string>
#include <vector>

#include <doctest/doctest.h>

namespace flashgate::sim {
namespace {

const char* const kLaunches = R"("forward":{"version":3},"backward":{"version":3})";

std::string cell_reply(const std::string& rank) { return R"({"batch":1,"cell":0,"ranks":[)" + rank + "]}"; }

SubjectReply reply(const std::string& line)
{
  NamedPlans named;
  return parse_reply(line, 1, named);
}

TEST_CASE("a plan of which only the versions are said is what a correct caller makes of it")
{
  const SubjectReply said = reply(cell_reply(std::string("{") + kLaunches + R"(,"handed":3,"lse":3})"));
  Request request;
  request.signature = Signature::group;
  CellPlan plan;
  assemble_plan(request, said.worlds, true, plan);
  REQUIRE(plan.rank_count() == 1);
  CHECK(plan.rank(0).forward.kernel.text() == "flashmask_attention_v2");
  CHECK(plan.rank(0).forward.arity == 10);
  CHECK(plan.rank(0).backward.arity == 12);
  CHECK(plan.rank(0).handed_version == 3);
}

TEST_CASE("the device refuses what its kernels can't do, and what follows the refusal is forgotten")
{
  const SubjectReply said = reply(cell_reply(
      R"json({"forward":{"version":3},"backward":{"version":3},"handed":3,"lse":3,
              "collectives":[["fwd","all_gather(K)"],["bwd","all_gather(K)"]],
              "trace":[["fwd","a","yes"],["bwd","b","no"]]})json"));
  Request request;
  request.device = Device::sm80;
  CellPlan plan;
  assemble_plan(request, said.worlds, true, plan);
  const RankPlan& rank = plan.rank(0);
  CHECK(rank.error.kind.text() == "not_supported");
  CHECK(rank.error.message.text() == "v3 runs on sm90 only");
  CHECK_FALSE(rank.backward);
  CHECK(rank.handed_version == 0);
  CHECK(rank.collectives.count == 1);
  REQUIRE(rank.trace.size() == 2);
  CHECK(rank.trace[1].decision.text() == "not supported");
}

TEST_CASE("ranks of a world share its plan, and a group with two worlds needs two")
{
  Request request;
  request.path = Path::cp_flashmask;
  request.cp_size = 4;
  request.ranks_with_v4 = 1;
  CHECK(world_ranks(request) == std::vector<int>{0, 1});
  const std::string error = R"({"error":{"phase":"fwd","kind":"NameError","message":"x"}})";
  const SubjectReply two = reply(cell_reply(std::string("{") + kLaunches + "}," + error));
  CellPlan plan;
  assemble_plan(request, two.worlds, true, plan);
  CHECK_FALSE(plan.rank(0).error);
  CHECK(plan.rank(1).error.kind.text() == "NameError");
  CHECK(plan.rank(3).error.kind.text() == "NameError");
  const SubjectReply one = reply(cell_reply(error));
  CHECK_THROWS_AS(assemble_plan(request, one.worlds, true, plan), ProtocolError);
}

TEST_CASE("a plan can be named once and then be given by its name")
{
  NamedPlans named;
  parse_reply(cell_reply(std::string(R"({"name":"p0",)") + kLaunches + "}"), 1, named);
  CHECK(parse_reply(cell_reply(R"("p0")"), 1, named).worlds[0].plan.forward.version == 3);
}

TEST_CASE("what no plan can say is refused with what is wrong")
{
  struct Bad
  {
    const char* line;
    const char* why;
  };
  const std::string rank_without_end = "{\"batch\":1,\"cell\":0,\"ranks\":[{";
  const std::vector<Bad> bad{
      {"", "no JSON object"},
      {"hello", "no JSON object"},
      {"[1]", "no JSON object"},
      {rank_without_end.c_str(), "no JSON object"},
      {"\xff\xfe", "no JSON object"},
      {R"({"batch":2,"done":true})", "another batch"},
      {R"({"batch":"1","done":true})", "another batch"},
      {R"({"batch":1})", "no cell, or no ranks"},
      {R"({"batch":1,"cell":"0","ranks":[]})", "no cell, or no ranks"},
      {R"({"batch":1,"cell":0,"ranks":["p9"]})", "unknown name"},
      {R"({"batch":1,"cell":0,"ranks":[7]})", "no plan"},
      {R"({"batch":1,"cell":0,"ranks":[{}]})", "neither both launches nor an error"},
      {R"({"batch":1,"cell":0,"ranks":[{"forward":{"version":7}}]})", "impossible version"},
      {R"({"batch":1,"cell":0,"ranks":[{"forward":{"version":3,"kernel":"rm","arity":1}}]})", "does not have"},
      {R"({"batch":1,"cell":0,"ranks":[{"forward":{"version":2,"kernel":"flash_attn"}}]})", "without arity"},
      {R"({"batch":1,"cell":0,"ranks":[{"error":{"phase":"later","kind":"E"}}]})", "unknown phase"},
      {R"({"batch":1,"cell":0,"ranks":[{"error":{"phase":"fwd","kind":""}}]})", "without kind"},
      {R"({"batch":1,"cell":0,"ranks":[{"collectives":[1,2,3,4,5,6,7,8,9,10,11,12,13]}]})", "too many collectives"},
      {R"({"batch":1,"cell":0,"ranks":[{"trace":[["fwd","a"]]}]})", "no step"},
      {R"({"batch":1,"cell":0,"ranks":[{"lines":{"a.py":[-1]}}]})", "no line"},
  };
  for (const Bad& row : bad) {
    CAPTURE(row.line);
    std::string why;
    try {
      reply(row.line);
    } catch (const ProtocolError& error) {
      why = error.what();
    }
    CHECK(why.find(row.why) != std::string::npos);
  }
}

TEST_CASE("texts of a subject are made plain and cut")
{
  const std::string message = "a\\u001b[31m\\u202eb" + std::string(5000, 'x');
  const SubjectReply said = reply(cell_reply(R"({"error":{"phase":"fwd","kind":"E\n","message":")" + message + "\"}}"));
  const PlanError& error = said.worlds[0].plan.error;
  CHECK(error.kind.text() == "E?");
  CHECK(error.message.text().starts_with("a?[31m???bxxx"));
  CHECK(error.message.text().size() < 1100);
}

TEST_CASE("a hello of another protocol, or none, is refused")
{
  CHECK(parse_hello(R"({"hello":{"protocol":1,"name":"n","paths":["rr_flash"]}})").paths.size() == 1);
  for (const char* line : {"{}", R"({"hello":1})", R"({"hello":{"protocol":2}})", R"({"hello":{"protocol":"1"}})", "x"})
    CHECK_THROWS_AS(parse_hello(line), ProtocolError);
}

}  // namespace
}  // namespace flashgate::sim
