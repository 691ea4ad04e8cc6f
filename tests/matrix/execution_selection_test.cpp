#include "matrix/execution_selection.h"

#include <algorithm>
#include <set>
#include <string>

#include <doctest/doctest.h>

#include "matrix/covering_array_verifier.h"
#include "matrix/enumerator.h"
#include "matrix/execution_array.h"
#include "matrix/execution_runner.h"
#include "matrix/pair_balance.h"
#include "matrix/reference_backend.h"

namespace flashgate::matrix {
namespace {

using Id = NumericsAxisId;

std::vector<Cell> cells_of(const char* suite)
{
  return enumerate(load_suite(FLASHGATE_SOURCE_DIR "/suites", suite)).cells;
}

const std::set<NumericsCase>& default_pins()
{
  static const std::set<NumericsCase> pins = collect_pins(cells_of("default"), built_in_subjects(), 2);
  return pins;
}

/// What rank 0 of a built-in subject needs run for a cell: "forward v3, skip backward: mixed pair".
std::string planned(const char* subject, const char* cell_name)
{
  const Cell cell = parse_cell(cell_name);
  sim::CellPlan plan;
  find_subject(subject)->plan(to_request(cell), false, plan);
  const PlannedExecutions executions = planned_executions(cell, plan.rank(0));
  std::string text;
  for (const NumericsCase& pin : executions.pins)
    text += (text.empty() ? "" : ", ") + std::string(value_of(pin, Id::direction).text) + " " +
            std::string(value_of(pin, Id::kernel).text);
  for (const SkippedExecution& skip : executions.skips)
    text += std::string(text.empty() ? "" : ", ") + "skip " + (skip.backward ? "backward" : "forward") + ": " +
            std::string(skip.reason);
  return text;
}

std::set<int> values_in(const std::vector<NumericsCase>& cases, NumericsAxisId id)
{
  std::set<int> values;
  for (const NumericsCase& numerics : cases)
    values.insert(numerics[id]);
  return values;
}

std::set<std::pair<int, int>> pairs_in(const std::vector<NumericsCase>& cases, NumericsAxisId a, NumericsAxisId b)
{
  std::set<std::pair<int, int>> pairs;
  for (const NumericsCase& numerics : cases)
    pairs.insert({numerics[a], numerics[b]});
  return pairs;
}

}  // namespace

TEST_CASE("a plan's executions are its forward's and backward's, as far as it gets")
{
  CHECK(planned("model:effective-first", "rr_flashmask") == "forward v3, backward v3");
  CHECK(planned("model:effective-first", "rr_flashmask/flag_version=2") == "forward v2, backward v2");
  CHECK(planned("model:effective-first", "rr_flashmask/flag_version=5") == "");
  CHECK(planned("model:effective-first", "rr_flashmask/flag_version=2,dropout=0.1") ==
        "skip forward: dropout is random, there is nothing to compare with, "
        "skip backward: dropout is random, there is nothing to compare with");
}

TEST_CASE("a backward of another generation than its forward is skipped as a mixed pair")
{
  sim::RankPlan plan;
  plan.forward.version = 3;
  plan.backward.version = 2;
  const PlannedExecutions executions = planned_executions(parse_cell("rr_flashmask"), plan);
  REQUIRE(executions.pins.size() == 1);
  CHECK_FALSE(is_backward(executions.pins.front()));
  REQUIRE(executions.skips.size() == 1);
  CHECK(executions.skips.front().reason == "mixed pair");
}

TEST_CASE("phases after an error are not executed")
{
  sim::RankPlan plan;
  plan.forward.version = 3;
  plan.backward.version = 3;
  plan.fail(sim::Phase::backward, sim::Symbol("ValueError"), sim::Symbol("no"));
  CHECK(planned_executions(parse_cell("rr_flashmask"), plan).pins.size() == 1);
  plan.fail(sim::Phase::forward, sim::Symbol("ValueError"), sim::Symbol("no"));
  CHECK(planned_executions(parse_cell("rr_flashmask"), plan).pins.empty());
}

TEST_CASE("the array has every pair of free values that the constraints allow, evenly")
{
  const std::vector<NumericsCase> rows = numerics_array(2);
  for (const NumericsCase& row : rows)
    CHECK_MESSAGE(excluded_by(row).empty(), numerics_name(row));
  CHECK(pairs_in(rows, Id::seqlen, Id::dtype).size() == 16 * 2);
  CHECK(pairs_in(rows, Id::family, Id::dtype).size() == 20 * 2);
  CHECK(pairs_in(rows, Id::family, Id::heads).size() == 20 * 5);
  CHECK(pairs_in(rows, Id::fill, Id::dtype).size() == 8 * 2);
  const auto fp16 = std::ranges::count_if(rows, [](const NumericsCase& row) { return row[Id::dtype] == 1; });
  CHECK(fp16 > static_cast<std::ptrdiff_t>(rows.size()) * 3 / 10);
}

TEST_CASE("balancing keeps an array's pairs and its rules, and makes values more even")
{
  const RowModel model{{6, 5, 2, 2, 2}, {{{0, 2}, [](const Row& row) { return row[0] != 0 || row[2] == 0; }}}};
  CoveringArray array = covering_array(model, 2);
  const auto ones = [&] { return std::ranges::count_if(array.rows, [](const Row& row) { return row[4] == 1; }); };
  const auto before = ones();
  balance_pairs(model, {2, 3, 4}, array.rows);
  const CoverageCount count = count_coverage(model, 2, array.rows);
  CHECK(count.uncovered == 0);
  CHECK(count.bad_rows == 0);
  CHECK(ones() >= before);
  CHECK(ones() >= static_cast<std::ptrdiff_t>(array.rows.size()) / 3);
}

TEST_CASE("every pin of suite default has an execution, and every boundary value is in one")
{
  const ExecutionSelection selection(default_pins(), {});
  for (const NumericsCase& pin : default_pins())
    CHECK_MESSAGE(!selection.executions_of(pin).empty(), numerics_name(pin));
  for (const NumericsCase& numerics : selection.cases())
    CHECK_MESSAGE(excluded_by(numerics).empty(), numerics_name(numerics));
  for (const Id id : {Id::dtype, Id::direction, Id::family, Id::causal, Id::mask_columns, Id::seqlen, Id::heads,
                      Id::mask_heads, Id::batch, Id::deterministic, Id::cp_size, Id::scale, Id::fill})
    CHECK_MESSAGE(values_in(selection.cases(), id).size() == numerics_axis(id).values.size(), numerics_axis(id).name);
  // Pairs of head dims that no generation takes have no plan to execute: 160/128, 192/64, 256/128.
  CHECK(values_in(selection.cases(), Id::head_dim).size() == numerics_axis(Id::head_dim).values.size() - 3);
  MESSAGE("suite default: ", selection.cases().size(), " executions for ", default_pins().size(), " pins, array of ",
          selection.array_rows(), " rows, ", selection.unused_rows(), " of them carried by no pin");
}

TEST_CASE("a selection is deterministic, has no case twice, and names its cases' pins")
{
  const ExecutionSelection first(default_pins(), {.seed = 9});
  const ExecutionSelection second(default_pins(), {.seed = 9});
  CHECK(first.cases() == second.cases());
  CHECK(std::set(first.cases().begin(), first.cases().end()).size() == first.cases().size());
  for (std::uint32_t n = 0; n < first.cases().size(); ++n) {
    const auto of_pin = first.executions_of(pin_of(first.cases()[n]));
    CHECK(std::ranges::count(of_pin, n) == 1);
    CHECK(first.cases()[n].seed == 9);
  }
}

TEST_CASE("a limit keeps every value that smoke's plans can have, and twenty of v2 with a deterministic backward")
{
  const std::set<NumericsCase> pins = collect_pins(cells_of("smoke"), built_in_subjects(), 2);
  const ExecutionSelection all(pins, {});
  const ExecutionSelection limited(pins, {.limit = 200});
  CHECK(limited.cases().size() == 200);
  for (const NumericsAxis& axis : numerics_axes())
    CHECK_MESSAGE(values_in(limited.cases(), axis.id) == values_in(all.cases(), axis.id), axis.name);
  const auto is_v2 = [](const NumericsCase& numerics) { return number_of(numerics, Id::kernel) == 2; };
  CHECK(std::ranges::count_if(limited.cases(), is_v2) >= 20);
  CHECK(std::ranges::any_of(limited.cases(), [&](const NumericsCase& numerics) {
    return is_v2(numerics) && is_backward(numerics) && numerics[Id::deterministic] == 1;
  }));
}

TEST_CASE("telling pairs have every pair that the cases have, in fewer cases, or as many as the limit says")
{
  const ExecutionSelection all(default_pins(), {});
  const std::vector<std::size_t> chosen = telling_pairs(all.cases(), all.cases().size());
  CHECK(chosen.size() < all.cases().size());
  std::vector<NumericsCase> cases;
  for (const std::size_t position : chosen)
    cases.push_back(all.cases()[position]);
  for (const NumericsAxis& a : numerics_axes())
    for (const NumericsAxis& b : numerics_axes())
      CHECK(pairs_in(cases, a.id, b.id) == pairs_in(all.cases(), a.id, b.id));
  CHECK(telling_pairs(all.cases(), 7).size() == 7);
}

TEST_CASE("results come in the order of the cases, on any number of threads, until told to stop")
{
  std::vector<NumericsCase> cases;
  for (const char* name : {"v3", "v2/seqlen=1", "v4/seqlen=257", "v3/seqlen=1", "naive/seqlen=65/1"})
    cases.push_back(parse_numerics_case(name));
  const ReferenceBackend backend;
  std::vector<ExecutionTask> tasks;
  for (const NumericsCase& numerics : cases)
    tasks.push_back({numerics, &backend});
  for (const int jobs : {1, 3}) {
    std::atomic<bool> stop{false};
    std::vector<NumericsCase> seen;
    const auto listener = [&](std::size_t, ExecutionResult&& result) { seen.push_back(result.numerics); };
    CHECK(run_executions(tasks, jobs, listener, [&] { return stop.load(); }) == cases.size());
    CHECK(seen == cases);
    const auto stopping = [&](std::size_t index, ExecutionResult&&) { stop = index == 1; };
    CHECK(run_executions(tasks, jobs, stopping, [&] { return stop.load(); }) == 2);
  }
}

}  // namespace flashgate::matrix
