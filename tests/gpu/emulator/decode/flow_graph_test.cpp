#include "gpu/emulator/decode/flow_graph.h"

#include <doctest/doctest.h>

#include "tests/gpu/emulator/engine/engine_rig.h"

namespace flashgate::gpu {
namespace {

struct Step
{
  FlowKind kind = FlowKind::straight;
  int target = -1;
  bool guarded = false;
};

Program program_of(const std::vector<Step>& steps)
{
  Program program;
  for (const Step& step : steps) {
    isa::Instruction instruction;
    instruction.index = static_cast<std::int32_t>(program.instructions.size());
    instruction.target = step.target;
    program.instructions.push_back(instruction);
    program.sites.emplace_back().guard = step.guarded ? 0 : -1;
    program.flow.emplace_back().kind = step.kind;
  }
  return program;
}

constexpr FlowKind kStraight = FlowKind::straight;
constexpr FlowKind kBranch = FlowKind::branch;
constexpr FlowKind kExit = FlowKind::exit;

struct ReconvergenceCase
{
  const char* name;
  std::vector<Step> steps;
  int branch;
  int expected;
};

const ReconvergenceCase kCases[] = {
    {"if", {{kBranch, 2, true}, {kStraight}, {kExit}}, 0, 2},
    {"if else", {{kBranch, 3, true}, {kStraight}, {kBranch, 4}, {kStraight}, {kExit}}, 0, 4},
    {"loop", {{kStraight}, {kBranch, 0, true}, {kExit}}, 1, 2},
    {"loop with a break", {{kStraight}, {kBranch, 4, true}, {kStraight}, {kBranch, 0, true}, {kExit}}, 1, 4},
    {"one side exits", {{kBranch, 2, true}, {kExit}, {kStraight}, {kExit}}, 0, -1},
    {"an exit for some", {{kExit, -1, true}, {kBranch, 3, true}, {kStraight}, {kExit}}, 1, 3},
    {"an endless loop on one side", {{kBranch, 2, true}, {kBranch, 1}, {kExit}}, 0, 2},
};

}  // namespace

TEST_CASE("branches reconverge at their immediate post-dominator")
{
  for (const ReconvergenceCase& test : kCases) {
    CAPTURE(std::string(test.name));
    Program program = program_of(test.steps);
    decode::find_reconvergence(program);
    CHECK(program.flow[test.branch].reconvergence == test.expected);
  }
}

TEST_CASE("blocks begin at targets and behind branches")
{
  const decode::FlowGraph graph(program_of({{kStraight}, {kStraight}, {kBranch, 1, true}, {kExit}}));
  REQUIRE(graph.size() == 3);
  CHECK(graph.begin(1) == 1);
  CHECK(graph.end(1) == 3);
  CHECK(graph.successors(1) == std::vector<std::int32_t>{1, 2});
  CHECK(graph.successors(2) == std::vector<std::int32_t>{graph.exit()});
}

TEST_CASE("a chain of many blocks is no problem")
{
  std::vector<Step> steps;
  for (int at = 0; at < 20000; ++at)
    steps.push_back({kBranch, at + 1, true});
  steps.push_back({kExit});
  Program program = program_of(steps);
  decode::find_reconvergence(program);
  CHECK(program.flow[0].reconvergence == 1);
}

}  // namespace flashgate::gpu
