#include "matrix/expectations.h"

#include <map>
#include <random>

#include <doctest/doctest.h>

#include "matrix/constraints.h"
#include "matrix/subjects.h"
#include "reference/error.h"

namespace flashgate::matrix {
namespace {

constexpr const char* kToday = "2030-06-15";
constexpr const char* kSubject = "model:fleet-d";

std::string error_of(std::string_view text, ExpectationKind kind = ExpectationKind::fails)
{
  try {
    parse_expectations(kind, "s-fails.txt", text);
  } catch (const Error& error) {
    return error.what();
  }
  return {};
}

bool covers(const std::string& terms, const char* cell)
{
  const auto lines = parse_expectations(ExpectationKind::fails, "s-fails.txt", terms);
  const Cell parsed = parse_cell(cell);
  return lines.back().covers_cell(attribute_values(parsed), parsed);
}

/// A judgement in which I4 found `i4` (nothing if empty) and every check in `passed` passed.
Judgement judgement(std::optional<Verdict> i4, std::vector<std::string_view> passed = {})
{
  Judgement made;
  if (i4 == Verdict::pass) passed.push_back("I4");
  for (const std::string_view id : passed)
    made.passed |= 1u << find_check(id);
  if (i4 && i4 != Verdict::pass) made.findings.emplace_back(find_check("I4"), Finding{true, *i4, "found", {}});
  return made;
}

ExpectationBook book_of(ExpectationKind kind, std::string_view text)
{
  return ExpectationBook(parse_expectations(kind, "s-fails.txt", text), kToday);
}

/// A cell with each axis drawn at random, the axes outside the core kept at their defaults with a chance drawn per
/// cell; one that the constraints allow.
Cell random_cell(std::mt19937& random)
{
  const auto below = [&](std::size_t n) { return static_cast<std::uint8_t>(random() % n); };
  for (;;) {
    Cell cell = default_cell(below(axes()[0].values.size()));
    std::array<bool, kAxisCount> is_set{true};
    const unsigned kept_of_5 = below(5);
    for (int i = 1; i < kAxisCount; ++i) {
      is_set[i] = axes()[i].core || below(5) >= kept_of_5;
      if (is_set[i]) cell.values[i] = below(axes()[i].values.size());
    }
    fill_defaults(cell, is_set);
    if (excluded_by(cell).empty()) return cell;
  }
}

TEST_CASE("a line is read field by field")
{
  const auto lines = parse_expectations(ExpectationKind::fails, "s-fails.txt",
                                        "# a comment\n"
                                        "\n"
                                        "  subject=model:fleet-c,fleet:/src@HEAD check=I1,I11 verdict=hang "
                                        "flag_version=4 head_dim>128 | the reason | me | 2031-01-02\r\n"
                                        "check=I4 cell=rr_.* | another | you | never\n");
  REQUIRE(lines.size() == 2);
  CHECK(lines[0].file == "s-fails.txt");
  CHECK(lines[0].line == 3);
  CHECK(lines[0].subjects == std::vector<std::string>{"model:fleet-c", "fleet:/src@HEAD"});
  CHECK(lines[0].checks == std::vector<int>{find_check("I1"), find_check("I11")});
  CHECK(lines[0].verdict == Verdict::hang);
  CHECK(lines[0].reason == "the reason");
  CHECK(lines[0].owner == "me");
  CHECK(lines[0].expiry == "2031-01-02");
  CHECK(lines[0].covers_subject("fleet:/src@HEAD"));
  CHECK_FALSE(lines[0].covers_subject("model:fleet-d"));
  CHECK(lines[1].line == 4);
  CHECK(lines[1].verdict == Verdict::fail);
  CHECK(lines[1].covers_subject("model:fleet-d"));
}

TEST_CASE("a line covers the cells in which all its terms hold")
{
  struct Row
  {
    const char* text;
    const char* cell;
    bool covered;
  };
  static constexpr const char* kLets =
      "let gap = signature=legacy or head_dim>128\n"
      "let rule = deterministic=on gap\n"
      "let rare = !gap flag_version=5 or rule flag_version=0\n";
  static constexpr Row kRows[] = {
      {"check=I4 flag_version=4", "rr_flashmask/flag_version=4", true},
      {"check=I4 flag_version=4", "rr_flashmask", false},
      {"check=I4 flag_version=4 device!=xpu", "rr_flashmask/flag_version=4,device=xpu", false},
      {"check=I4 cell=rr_flashmask/.*dim=192", "rr_flashmask/head_dim=192", true},
      {"check=I4 cell=head_dim=192", "rr_flashmask/head_dim=192", false},
      {"check=I4 rule", "rr_flashmask/deterministic=on,head_dim=192", true},
      {"check=I4 rule", "rr_flashmask/deterministic=on,signature=legacy", true},
      {"check=I4 rule", "rr_flashmask/deterministic=on", false},
      {"check=I4 rule flag_version=4", "rr_flashmask/deterministic=on,head_dim=192", false},
      {"check=I4 !rule", "rr_flashmask/deterministic=on", true},
      {"check=I4 !rule", "rr_flashmask/deterministic=on,head_dim=192", false},
      {"check=I4 rare", "rr_flashmask/flag_version=5", true},
      {"check=I4 rare", "rr_flashmask/flag_version=5,head_dim=192", false},
      {"check=I4 rare", "rr_flashmask/flag_version=0,deterministic=on,head_dim=192", true},
      {"check=I4 rare !gap", "rr_flashmask/flag_version=0,deterministic=on,head_dim=192", false},
  };
  for (const Row& row : kRows) {
    CAPTURE(row.text);
    CAPTURE(row.cell);
    CHECK(covers(std::string(kLets) + row.text + " | reason | me | never", row.cell) == row.covered);
  }
}

TEST_CASE("a bad line is an error that names file, line and what was expected")
{
  static constexpr std::array<const char*, 2> kRows[] = {
      {"check=I4", "expected 4 fields"},
      {"check=I4 | reason | me | never | more", "expected 4 fields"},
      {" | reason | me | never", "expected at least one term"},
      {"check=I4 | | me | never", "expected a reason"},
      {"check=I4 | reason | me | soon", "expected expiry as YYYY-MM-DD or never"},
      {"check=I4 | reason | me | 2030-6-15", "expected expiry as YYYY-MM-DD or never"},
      {"device=sm90 | reason | me | never", "expected check=ID"},
      {"check=I12 | reason | me | never", "there is no check 'I12'"},
      {"check=I1,I12 | reason | me | never", "there is no check 'I12'"},
      {"check=I1 check=I2 | reason | me | never", "check= is given twice"},
      {"check=I4 subject=model:fleet-z | reason | me | never", "subject 'model:fleet-z' is not known"},
      {"check=I4 subject=model:fleet-c, | reason | me | never", "subject '' is not known"},
      {"check=I4 subject=exec:a subject=exec:b | reason | me | never", "subject= is given twice"},
      {"check=I4 subject= | reason | me | never", "there is no axis 'subject'"},
      {"check=I4 verdict=pass | reason | me | never", "verdict=pass is no failure"},
      {"check=I4 cell=( | reason | me | never", "is not a regular expression"},
      {"check=I4 device=sm70 | reason | me | never", "device has no value 'sm70'"},
      {"check=I4 colour=red | reason | me | never", "there is no axis 'colour'"},
      {"check=I4 device=sm90 device=xpu | reason | me | never", "no value is left"},
      {"check=I4 rule | reason | me | never", "'rule' is neither axis=value nor a name"},
      {"check=I4 \xff | reason | me | never", "expected UTF-8"},
      {"let rule", "expected let NAME = TERMS"},
      {"let Rule = device=sm90", "'Rule' is no new name"},
      {"let device = device=sm90", "'device' is no new name"},
      {"let or = device=sm90", "'or' is no new name"},
      {"let rule = rule", "'rule' is neither axis=value nor a name"},
      {"let rule = ", "expected let NAME = TERMS"},
      {"let rule = or device=sm90", "expected terms before or"},
      {"let rule = device=sm90 or", "expected terms at the end"},
      {"let rule = check=I4", "there is no axis 'check'"},
  };
  for (const auto& [line, expected] : kRows) {
    CAPTURE(line);
    const std::string error = error_of("# first\n" + std::string(line) + "\n");
    CAPTURE(error);
    CHECK(error.starts_with("s-fails.txt:2: "));
    CHECK(error.find(expected) != std::string::npos);
    CHECK(error.find('\n') == std::string::npos);
  }
  CHECK(error_of("let a = device=sm90\nlet a = device=xpu\n").starts_with("s-fails.txt:2: 'a' is no new name"));
}

TEST_CASE("flakes and skips need no check")
{
  CHECK(error_of("device=sm90 | reason | me | never", ExpectationKind::flakes).empty());
  CHECK(error_of("device=sm90 | reason | me | never", ExpectationKind::skips).empty());
}

TEST_CASE("what a fails line makes of a verdict")
{
  struct Row
  {
    const char* terms;
    std::optional<Verdict> found;  ///< by I4
    std::optional<Outcome> outcome;
    bool fails;
    const char* status;
  };
  static constexpr Row kRows[] = {
      {"check=I4", Verdict::fail, Outcome::expected_fail, false, "used"},
      {"check=I4", Verdict::pass, Outcome::unexpected_pass, true, "unexpected"},
      {"check=I4", Verdict::warn, Outcome::unexpected_pass, true, "unexpected"},
      {"check=I4", Verdict::hang, Outcome::as_is, true, "unexpected"},
      {"check=I4 verdict=hang", Verdict::hang, Outcome::expected_fail, false, "used"},
      {"check=I4 verdict=hang", Verdict::fail, Outcome::as_is, true, "unexpected"},
      {"check=I4", std::nullopt, std::nullopt, false, "not_applicable"},
      {"check=I4", Verdict::not_supported, Outcome::as_is, false, "not_applicable"},
      {"check=I4", Verdict::skip, Outcome::as_is, false, "not_applicable"},
      {"check=I4 cell=rr_flashmask", Verdict::fail, Outcome::expected_fail, false, "used"},
      {"check=I4 cell=rr_flashmask", Verdict::pass, Outcome::unexpected_pass, true, "unexpected"},
      {"check=I4 cell=rr_flashmask", std::nullopt, Outcome::unexpected_skip, true, "unexpected"},
      {"check=I4 cell=rr_flashmask", Verdict::not_supported, Outcome::unexpected_skip, true, "unexpected"},
      {"check=I4 device=xpu", Verdict::fail, Outcome::as_is, true, "not_applicable"},
      {"check=I4 subject=model:fleet-c", Verdict::fail, Outcome::as_is, true, "not_applicable"},
      {"check=I4 subject=model:fleet-c,model:fleet-d", Verdict::fail, Outcome::expected_fail, false, "used"},
      {"check=I5", Verdict::fail, Outcome::as_is, true, "not_applicable"},
  };
  for (const Row& row : kRows) {
    CAPTURE(row.terms);
    CAPTURE(row.status);
    ExpectationBook book = book_of(ExpectationKind::fails, std::string(row.terms) + " | reason | me | never");
    const auto rows = book.apply(kSubject, default_cell(0), judgement(row.found));
    CHECK(rows.size() == (row.outcome ? 1 : 0));
    for (const JudgedVerdict& judged : rows) {
      CHECK(judged.outcome == *row.outcome);
      CHECK(fails_the_run(judged.verdict, judged.outcome) == row.fails);
    }
    CHECK(book.uses()[0].status() == row.status);
  }
}

TEST_CASE("a line of several checks speaks of each of them")
{
  ExpectationBook book = book_of(ExpectationKind::fails, "check=I4,I5,I6 | reason | me | never");
  const auto rows = book.apply(kSubject, default_cell(0), judgement(Verdict::fail, {"I5"}));
  REQUIRE(rows.size() == 2);
  CHECK(rows[0].outcome == Outcome::expected_fail);
  CHECK(rows[1].check == find_check("I5"));
  CHECK(rows[1].outcome == Outcome::unexpected_pass);
  CHECK(rows[1].detail == "s-fails.txt:1 expected a failure: reason");
  CHECK(book.uses()[0].covered == 1);
  CHECK(book.uses()[0].matched == 2);
  CHECK(book.uses()[0].failing == 1);
}

TEST_CASE("an expired line excuses nothing")
{
  const std::array<std::pair<const char*, Outcome>, 3> rows{
      {{"2030-06-14", Outcome::as_is}, {"2030-06-15", Outcome::expected_fail}, {"never", Outcome::expected_fail}}};
  for (const auto& [expiry, outcome] : rows) {
    ExpectationBook book = book_of(ExpectationKind::fails, std::string("check=I4 | reason | me | ") + expiry);
    CHECK(book.apply(kSubject, default_cell(0), judgement(Verdict::fail)).at(0).outcome == outcome);
    CHECK((book.uses()[0].status() == "expired") == (outcome == Outcome::as_is));
  }
}

TEST_CASE("a flakes line excuses a failure and does not ask for one")
{
  ExpectationBook book = book_of(ExpectationKind::flakes, "device=sm90 | reason | me | never");
  CHECK(book.apply(kSubject, default_cell(0), judgement(std::nullopt)).empty());
  CHECK(book.uses()[0].status() == "not_applicable");
  CHECK(book.apply(kSubject, default_cell(0), judgement(Verdict::pass)).empty());
  CHECK(book.uses()[0].status() == "used");
  const auto rows = book.apply(kSubject, default_cell(0), judgement(Verdict::hang));
  CHECK(rows.at(0).outcome == Outcome::known_flake);
  CHECK_FALSE(fails_the_run(rows[0].verdict, rows[0].outcome));
  ExpectationBook other = book_of(ExpectationKind::flakes, "check=I5 | reason | me | never");
  CHECK(other.apply(kSubject, default_cell(0), judgement(Verdict::fail)).at(0).outcome == Outcome::as_is);
}

TEST_CASE("a skips line takes its cells out of the run, with its reason")
{
  ExpectationBook book = book_of(ExpectationKind::skips, "subject=model:fleet-d device=xpu | no xpu here | me | never");
  CHECK(book.skip_reason(kSubject, parse_cell("rr_flashmask/device=xpu")) == "no xpu here");
  CHECK(book.skip_reason(kSubject, default_cell(0)).empty());
  CHECK(book.skip_reason("model:fleet-c", parse_cell("rr_flashmask/device=xpu")).empty());
  CHECK(book.uses()[0].status() == "used");
  ExpectationBook expired = book_of(ExpectationKind::skips, "device=xpu | no xpu here | me | 2020-01-01");
  CHECK(expired.skip_reason(kSubject, parse_cell("rr_flashmask/device=xpu")).empty());
}

// A suite touches few cells; a line that is right by luck of its arrays would break when a suite changes.
TEST_CASE("the lines that ship are right on random cells of the whole space")
{
  ExpectationBook book(load_expectations(FLASHGATE_SOURCE_DIR "/suites", "default"), kToday);
  std::mt19937 random(1);
  sim::CellPlan plan;
  Judgement judged;
  std::map<std::string, std::string> wrong;  // subject and check -> an example
  for (int i = 0; i < 100'000; ++i) {
    const Cell cell = random_cell(random);
    const sim::Request request = to_request(cell);
    for (const SubjectPtr& subject : built_in_subjects()) {
      subject->plan(request, false, plan);
      judge(request, plan, judged);
      for (const JudgedVerdict& row : book.apply(subject->name(), cell, judged))
        if (fails_the_run(row.verdict, row.outcome))
          wrong[subject->name() + " " + std::string(checks()[row.check].id)] = cell_name(cell) + ": " + row.detail;
    }
  }
  for (const auto& [what, example] : wrong)
    FAIL_CHECK(what << " in " << example);
  for (const ExpectationBook::Use& use : book.uses())
    CHECK_MESSAGE(use.status() == "used", use.line.text);
}

}  // namespace
}  // namespace flashgate::matrix
