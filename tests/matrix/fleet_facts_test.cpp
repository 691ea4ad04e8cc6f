// What is publicly known of five revisions of PaddleFleet's dispatch code, cell by cell: every row is one known fault
// and the check that must see it, or a cell where a revision is known to be right.
#include <string>

#include <doctest/doctest.h>

#include "matrix/checks.h"
#include "matrix/constraints.h"
#include "matrix/subjects.h"
#include "sim/dispatch/fleet_model.h"

namespace flashgate::matrix {
namespace {

struct Row
{
  const char* revisions;  // letters of fleet-h0 (0), -h1 (1), -a, -c, -d
  const char* cell;
  const char* check;
};

const Row kFaults[] = {
    // Flag 4 without v4: the fallback to 3 comes after the deterministic rule (seed bug 1).
    {"d", "rr_flashmask/flag_version=4,v4_import=no,deterministic=on,head_dim=192", "I4"},
    {"d", "rr_flashmask/flag_version=4,deterministic=on,head_dim=136", "I4"},
    {"d", "rr_flash/flag_version=4,device=sm100,v4_import=no,deterministic=on,head_dim=256", "I4"},
    {"d", "rr_flashmask/flag_version=4,v4_import=no,deterministic=on,signature=legacy", "I4"},
    {"d", "rr_flash/flag_version=4,v4_import=no,deterministic=on,head_dim=64,signature=legacy", "I4"},
    {"d", "rr_flashmask/flag_version=4,v4_import=no,deterministic=on,head_dim=160,signature=group", "I4"},
    // Forward survives, 4 is handed to backward (seed bug 2).
    {"d", "cp_flashmask/flag_version=4,v4_import=no,deterministic=on,signature=legacy", "I3"},
    {"d", "rr_cp_flashmask/flag_version=4,v4_import=no,deterministic=on,signature=legacy", "I3"},
    // Fleet says 2, Paddle reads 4 again (what #1396 fixed).
    {"c", "cp_flashmask/flag_version=4,device=sm100,deterministic=on,head_dim=192", "I5"},
    {"c", "cp_flashmask/flag_version=4,device=sm100,deterministic=on,head_dim=136,signature=group", "I5"},
    // Paddle falls back to 2 on xpu, Fleet does not know.
    {"acd", "cp_flashmask/device=xpu", "I1"},
    {"acd", "cp_flashmask/device=xpu,deterministic=on,signature=group", "I1"},
    {"cd01", "cp_flashmask/flag_version=4,device=xpu", "I3"},
    {"cd01", "cp_flashmask/flag_version=5,device=xpu,signature=group", "I3"},
    {"0", "cp_flashmask/deterministic=on", "I1"},
    {"0", "cp_flashmask/deterministic=on,head_dim=64,signature=group", "I1"},
    {"0", "cp_flashmask", "I2"},
    {"01", "cp_flashmask/signature=group", "I2"},
    // Two sources of truth.
    {"a", "cp_flashmask/flag_version=2,config_version=3", "I8"},
    {"a", "cp_flashmask/config_version=2", "I8"},
    {"a", "cp_flashmask/flag_version=4,config_version=3", "I8"},
    {"a", "cp_flashmask/flag_version=4,device=sm100,config_version=3", "I8"},
    {"a", "cp_flashmask/config_version=4", "I8"},
    {"a", "cp_flashmask/deterministic=on,head_dim=192,config_deterministic=off", "I8"},
    {"a", "cp_flashmask/flag_version=4,device=sm100,deterministic=on,head_dim=192/128", "I1"},
    {"a", "cp_flashmask/flag_version=4,device=sm100,deterministic=on,signature=legacy", "I1"},
    // A flag that changes between first and second forward.
    {"acd", "rr_flashmask/flip=flag_2_3", "I6"},
    {"acd", "rr_flashmask/flip=flag_3_2", "I6"},
    {"acd", "rr_flash/flip=flag_3_2", "I6"},
    {"acd", "rr_flashmask/device=sm100,flip=flag_4_3", "I6"},
    {"acd", "rr_flashmask/head_dim=192,flip=det_on", "I6"},
    {"acd", "rr_flashmask/device=sm100,cute_gradients=4,flag_version=4", "I3"},
    {"acd", "cp_flashmask/device=sm100,cute_gradients=4,flag_version=4", "I3"},
    {"01acd", "cp_flashmask/training=no", "I5"},
    {"acd", "rr_flashmask/dropout=0.1", "I9"},
    {"acd", "rr_flashmask/flag_version=4,device=sm100,dropout=0.1", "I9"},
    {"01acd", "cp_flashmask/causal_direct=yes", "I9"},
    {"ac", "rr_flashmask/flag_version=5,deterministic=on,head_dim=192", "I10"},
    {"ac", "rr_flashmask/flag_version=5,deterministic=on,signature=legacy", "I10"},
    {"01ac", "cp_flashmask/flag_version=5,deterministic=on,signature=legacy", "I10"},
    {"cd", "cp_flashmask/flag_version=4,device=sm100,rank_skew=rank0_only", "I7"},
    {"d", "cp_flashmask/flag_version=4,device=sm100,deterministic=on,signature=legacy,rank_skew=rank0_only", "I7"},
    // The v4 import at module level is unguarded.
    {"a", "rr_flashmask/device=sm100,v4_import=no", "I5"},
    {"a", "cp_flashmask/device=sm100,v4_import=no", "I5"},
};

const Row kRight[] = {
    {"ac", "rr_flashmask/flag_version=4,v4_import=no,deterministic=on,head_dim=192", "I4"},
    {"c", "cp_flashmask/flag_version=4,v4_import=no,deterministic=on,signature=legacy", "I3"},
    {"d", "cp_flashmask/flag_version=4,device=sm100,deterministic=on,head_dim=192/128", "I5"},
    {"acd", "cp_flashmask/device=xpu,deterministic=on,head_dim=192", "I1"},
    {"1acd", "cp_flashmask", "I2"},
    {"01cd", "cp_flashmask/config_version=2", "I8"},
    {"a", "cp_flashmask", "I8"},
    {"a", "cp_flashmask/deterministic=on,config_deterministic=off", "I8"},
    {"acd", "rr_flashmask", "I6"},
    {"acd", "rr_flashmask/flip=flag_3_4", "I6"},  // v4 unavailable: both forwards run 3
    {"d", "rr_flashmask/flag_version=5,deterministic=on,head_dim=192", "I10"},
    {"acd", "rr_flashmask/training=no", "I5"},
    {"01acd", "cp_flashmask/flag_version=2,training=no", "I5"},
    {"cd", "cp_flashmask/flag_version=4,device=sm100", "I7"},
    {"acd", "rr_flashmask/flag_version=2,dropout=0.1", "I9"},
};

Verdict verdict_of(const sim::Subject& subject, const char* cell_text, const char* check)
{
  const Cell cell = parse_cell(cell_text);
  REQUIRE(excluded_by(cell) == "");
  const sim::Request request = to_request(cell);
  sim::CellPlan plan;
  Judgement judgement;
  subject.plan(request, false, plan);
  judge(request, plan, judgement);
  const int index = find_check(check);
  for (const auto& [found, finding] : judgement.findings)
    if (found == index) return finding.verdict;
  return Verdict::pass;
}

std::string subject_name(char letter)
{
  const std::string suffix = letter == '0' || letter == '1' ? std::string("h") + letter : std::string(1, letter);
  return "model:fleet-" + suffix;
}

TEST_CASE("every known fault is seen by its check, and the clean control is free of it")
{
  for (const Row& row : kFaults) {
    CAPTURE(row.cell);
    CAPTURE(row.check);
    for (const char* letter = row.revisions; *letter != 0; ++letter) {
      CAPTURE(*letter);
      CHECK(is_failure(verdict_of(*find_subject(subject_name(*letter)), row.cell, row.check)));
    }
    CHECK_FALSE(is_failure(verdict_of(*find_subject("model:effective-first"), row.cell, row.check)));
  }
}

TEST_CASE("where a revision is right, the check says so")
{
  for (const Row& row : kRight) {
    CAPTURE(row.cell);
    CAPTURE(row.check);
    for (const char* letter = row.revisions; *letter != 0; ++letter) {
      CAPTURE(*letter);
      CHECK_FALSE(is_failure(verdict_of(*find_subject(subject_name(*letter)), row.cell, row.check)));
    }
  }
}

TEST_CASE("a Paddle that accepts anything moves the error of flag 4 into backward")
{
  const char* cell = "cp_flashmask/flag_version=4,v4_import=no";
  const sim::FleetRevision& d = sim::fleet_revisions().back();
  REQUIRE(d.name == "model:fleet-d");
  CHECK(is_failure(verdict_of(sim::FleetModel(d, sim::PaddleRule::accepting), cell, "I3")));
  CHECK_FALSE(is_failure(verdict_of(sim::FleetModel(d), cell, "I3")));
  CHECK(verdict_of(sim::FleetModel(d), cell, "I5") == Verdict::not_supported);
}

TEST_CASE("with a Paddle that accepts anything, a skewed group of C hangs in backward")
{
  const char* cell = "cp_flashmask/flag_version=4,device=sm100,rank_skew=rank0_only";
  for (const sim::FleetRevision& revision : sim::fleet_revisions())
    if (revision.name == "model:fleet-c" || revision.name == "model:fleet-d")
      CHECK(verdict_of(sim::FleetModel(revision, sim::PaddleRule::accepting), cell, "I7") == Verdict::hang);
}

TEST_CASE("a revision without refined recompute supports no rr path, and fails none")
{
  for (const char* cell : {"rr_flashmask", "rr_flash", "rr_cp_flashmask"})
    for (const char* subject : {"model:fleet-h0", "model:fleet-h1"})
      CHECK(verdict_of(*find_subject(subject), cell, "I5") == Verdict::not_supported);
}

}  // namespace
}  // namespace flashgate::matrix
