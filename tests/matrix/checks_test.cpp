#include "matrix/checks.h"

#include <map>
#include <set>
#include <string>

#include <doctest/doctest.h>

#include "matrix/enumerator.h"
#include "matrix/subjects.h"
#include "matrix/suite.h"
#include "tests/matrix/saboteurs.h"

namespace flashgate::matrix {
namespace {

const std::vector<Cell>& dispatch_cells()
{
  static const std::vector<Cell> cells =
      enumerate(load_suite(std::string(FLASHGATE_SOURCE_DIR) + "/suites", "dispatch")).cells;
  return cells;
}

/// How often each check passed and failed over all cells of suite dispatch.
struct Tally
{
  std::map<std::string, int> passed, failed;
};

Tally judge_all(const sim::Subject& subject)
{
  Tally tally;
  sim::CellPlan plan;
  Judgement judgement;
  for (const Cell& cell : dispatch_cells()) {
    const sim::Request request = to_request(cell);
    subject.plan(request, false, plan);
    judge(request, plan, judgement);
    for (std::size_t i = 0; i < checks().size(); ++i)
      if (judgement.passed >> i & 1) ++tally.passed[std::string(checks()[i].id)];
    for (const auto& [index, finding] : judgement.findings)
      if (is_failure(finding.verdict)) ++tally.failed[std::string(checks()[index].id)];
  }
  return tally;
}

TEST_CASE("each saboteur is caught by its check and by no other")
{
  std::set<std::string> covered;
  for (const tests::Saboteur& saboteur : tests::saboteurs()) {
    CAPTURE(saboteur.name());
    const Tally tally = judge_all(saboteur);
    REQUIRE(tally.failed.size() == 1);
    CHECK(tally.failed.begin()->first == saboteur.caught_by());
    CHECK(tally.failed.begin()->second > 0);
    covered.insert(saboteur.caught_by());
  }
  for (const Check& check : checks())
    CHECK_MESSAGE(covered.contains(std::string(check.id)), check.id);
}

TEST_CASE("the clean control passes every check somewhere and fails none anywhere")
{
  const Tally tally = judge_all(*find_subject("model:effective-first"));
  CHECK(tally.failed.empty());
  for (const Check& check : checks())
    if (check.id != "I10") CHECK_MESSAGE(tally.passed.at(std::string(check.id)) > 0, check.id);
  CHECK(tally.passed.at("I10") > 0);
}

TEST_CASE("a rank that leaves early is a hang, with who waits for whom")
{
  const sim::Request request = to_request(parse_cell("cp_flashmask/cp_size=4"));
  for (const tests::Saboteur& saboteur : tests::saboteurs()) {
    if (saboteur.name() != "last rank leaves early") continue;
    sim::CellPlan plan;
    Judgement judgement;
    saboteur.plan(request, false, plan);
    judge(request, plan, judgement);
    REQUIRE(judgement.findings.size() == 1);
    CHECK(judgement.findings[0].second.verdict == Verdict::hang);
    CHECK(judgement.findings[0].second.text() == "a rank waits in alltoall(dK) for one that never enters it");
    CHECK(judgement.worst() == Verdict::hang);
  }
}

TEST_CASE("a verdict only gets worse")
{
  for (int left = 0; left <= static_cast<int>(Verdict::missing); ++left)
    for (int right = 0; right <= static_cast<int>(Verdict::missing); ++right) {
      const Verdict both = worse(static_cast<Verdict>(left), static_cast<Verdict>(right));
      CHECK(static_cast<int>(both) == std::max(left, right));
    }
  CHECK_FALSE(is_failure(Verdict::not_supported));
  CHECK_FALSE(is_failure(Verdict::skip));
  CHECK(is_failure(Verdict::missing));
}

TEST_CASE("every finding of the fleet models reads as one line without a gap")
{
  std::set<std::string> texts;
  for (const SubjectPtr& subject : built_in_subjects()) {
    sim::CellPlan plan;
    Judgement judgement;
    for (const Cell& cell : dispatch_cells()) {
      const sim::Request request = to_request(cell);
      subject->plan(request, false, plan);
      judge(request, plan, judgement);
      for (const auto& [index, finding] : judgement.findings)
        texts.insert(finding.text());
    }
  }
  CHECK(texts.size() > 20);
  for (const std::string& text : texts) {
    CAPTURE(text);
    CHECK_FALSE(text.empty());
    CHECK(text.find("{}") == std::string::npos);
    CHECK(text.find('\n') == std::string::npos);
    CHECK(text.find("  ") == std::string::npos);
  }
}

}  // namespace
}  // namespace flashgate::matrix
