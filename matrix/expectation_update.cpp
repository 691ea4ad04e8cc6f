#include <algorithm>
#include <array>
#include <compare>
#include <ctime>
#include <fstream>
#include <iterator>
#include <map>
#include <optional>
#include <set>

#include <fmt/chrono.h>
#include <fmt/format.h>

#include "matrix/expectation_review.h"
#include "matrix/failure_cover.h"
#include "matrix/texts.h"
#include "reference/error.h"

namespace flashgate::matrix {
namespace {

constexpr int kDaysOfNewLines = 90;

/// What new lines say of themselves: those of a line that was too wide, or of nobody yet.
struct LineTail
{
  std::string reason, owner, expiry;
  auto operator<=>(const LineTail&) const = default;
};

/// Failures that lines of one kind are to be written for: of one subject, check and verdict, with one tail.
struct Wanted
{
  ExpectationKind kind;
  std::string subject, check_id;
  Verdict verdict;
  LineTail tail;
  auto operator<=>(const Wanted&) const = default;
};

/// `days` after a date YYYY-MM-DD.
std::string later(const std::string& date, int days)
{
  std::tm day{};
  day.tm_year = std::stoi(date.substr(0, 4)) - 1900;
  day.tm_mon = std::stoi(date.substr(5, 2)) - 1;
  day.tm_mday = std::stoi(date.substr(8, 2)) + days;
  day.tm_hour = 12;
  const std::time_t time = timegm(&day);
  return fmt::format("{:%Y-%m-%d}", fmt::gmtime(time));
}

/// One line without the separator of fields.
std::string as_field(const std::string& text)
{
  std::string field = printable(text);
  std::ranges::replace(field, '|', '/');
  return field;
}

bool is_too_wide(const ExpectationBook::Use& use)
{
  return use.line.kind == ExpectationKind::fails && use.status() == "unexpected";
}

bool speaks_of(const Expectation& line, const std::string& check_id)
{
  if (!line.names_checks()) return true;
  if (const int check = find_check(check_id); check >= 0)
    return std::ranges::find(line.checks, check) != line.checks.end();
  return std::ranges::find(line.execution_checks, check_id) != line.execution_checks.end();
}

bool covers(const Expectation& line, const SubjectReview& subject, const ReviewedAnswer& answer)
{
  const Cell& cell = subject.cells[answer.cell];
  return line.covers_subject(subject.subject) && speaks_of(line, answer.check_id) &&
         line.covers_cell(attribute_values(cell), cell);
}

/// Plans the edit of one run's files.
class Update
{
 public:
  Update(const ExpectationReview& review, const RunRecord& run) : review_(review), run_(run) {}

  /// The lines that go, by file.
  std::map<std::string, std::set<int>> removed() const
  {
    std::map<std::string, std::set<int>> lines;
    for (const ExpectationBook::Use& use : review_.uses)
      if (is_too_wide(use)) lines[use.line.file].insert(use.line.line);
    return lines;
  }

  /// The lines that come, by kind.
  std::map<ExpectationKind, std::vector<std::string>> added() const
  {
    std::map<ExpectationKind, std::vector<std::string>> lines;
    for (const SubjectReview& subject : review_.subjects)
      for (const auto& [wanted, cells] : wanted_of(subject))
        for (const Cover& cover : find_covers(cells_of(subject, cells), {CellSet(others_of(subject, wanted))}))
          lines[wanted.kind].push_back(line_of(wanted, cover.condition));
    return lines;
  }

 private:
  std::map<Wanted, std::vector<std::size_t>> wanted_of(const SubjectReview& subject) const
  {
    std::map<Wanted, std::vector<std::size_t>> wanted;
    for (const ReviewedAnswer& answer : subject.answers) {
      if (!is_failure(answer.verdict) || answer.verdict == Verdict::missing) continue;
      if (const auto tail = tail_of(subject, answer)) {
        const ExpectationKind kind = answer.was_flake ? ExpectationKind::flakes : ExpectationKind::fails;
        wanted[{kind, subject.subject, answer.check_id, answer.verdict, *tail}].push_back(answer.cell);
      }
    }
    return wanted;
  }

  /// What a line for this failure is to say; empty if it needs none.
  std::optional<LineTail> tail_of(const SubjectReview& subject, const ReviewedAnswer& answer) const
  {
    std::optional<LineTail> replaced;
    for (const ExpectationBook::Use& use : review_.uses) {
      if (!covers(use.line, subject, answer)) continue;
      if (use.expired) return std::nullopt;
      if (use.line.kind == ExpectationKind::fails && use.line.verdict != answer.verdict) continue;
      if (!is_too_wide(use)) return std::nullopt;
      replaced = {use.line.reason, use.line.owner, use.line.expiry};
    }
    if (replaced) return replaced;
    const bool of_plan = find_check(answer.check_id) >= 0;  // its detail is equal for all cells
    return LineTail{of_plan && !answer.detail.empty() ? as_field(answer.detail) : "not explained yet", "nobody",
                    later(run_.started, kDaysOfNewLines)};
  }

  static std::vector<Cell> cells_of(const SubjectReview& subject, const std::vector<std::size_t>& indices)
  {
    std::vector<Cell> cells;
    for (const std::size_t index : indices)
      cells.push_back(subject.cells[index]);
    return cells;
  }

  /// The cells that a line must not cover: where the check passes, or fails in another way.
  static std::vector<Cell> others_of(const SubjectReview& subject, const Wanted& wanted)
  {
    std::vector<bool> other(subject.cells.size());
    const int check = find_check(wanted.check_id);
    for (std::size_t i = 0; i < other.size(); ++i)
      other[i] = check >= 0 ? (subject.passed[i] >> check & 1) != 0 : subject.executed[i];
    for (const ReviewedAnswer& answer : subject.answers)
      if (answer.check_id == wanted.check_id)
        other[answer.cell] = answer.verdict != wanted.verdict && answer.verdict != Verdict::skip &&
                             answer.verdict != Verdict::not_supported;
    std::vector<Cell> cells;
    for (std::size_t i = 0; i < other.size(); ++i)
      if (other[i]) cells.push_back(subject.cells[i]);
    return cells;
  }

  static std::string line_of(const Wanted& wanted, const Condition& condition)
  {
    std::string text = fmt::format("subject={} check={}", wanted.subject, wanted.check_id);
    if (wanted.kind == ExpectationKind::fails && wanted.verdict != Verdict::fail)
      text += fmt::format(" verdict={}", verdict_name(wanted.verdict));
    if (const std::string terms = condition.text(); !terms.empty()) text += " " + terms;
    return fmt::format("{} | {} | {} | {}", text, wanted.tail.reason, wanted.tail.owner, wanted.tail.expiry);
  }

  const ExpectationReview& review_;
  const RunRecord& run_;
};

std::string text_of(const std::filesystem::path& path)
{
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

std::string edited(const std::string& before, const std::set<int>& removed, const std::vector<std::string>& added,
                   const std::string& run)
{
  std::string after;
  int number = 0;
  std::size_t at = 0;
  while (at < before.size()) {
    const std::size_t end = std::min(before.find('\n', at), before.size() - 1) + 1;
    if (!removed.contains(++number)) after += before.substr(at, end - at);
    at = end;
  }
  if (added.empty()) return after;
  if (!after.empty()) after += after.ends_with('\n') ? "\n" : "\n\n";
  after += fmt::format("# Found by run {}; say why, and who looks after it.\n", run);
  for (const std::string& line : added)
    after += line + "\n";
  return after;
}

}  // namespace

std::vector<ExpectationEdit> plan_expectation_update(Store& store, const RunRecord& run,
                                                     const std::filesystem::path& folder, const std::string& name)
{
  if (run.finished.empty()) throw Error(fmt::format("run {} is not finished, continue it with --resume", run.name));
  const ExpectationReview review =
      review_run(store, run.id, load_expectations(folder, name), run.started.substr(0, 10));
  const Update update(review, run);
  const auto removed = update.removed();
  const auto added = update.added();
  std::vector<ExpectationEdit> edits;
  for (const auto& [kind, word] :
       {std::pair(ExpectationKind::fails, "fails"), std::pair(ExpectationKind::flakes, "flakes")}) {
    const std::string file = fmt::format("{}-{}.txt", name, word);
    const auto gone = removed.find(file);
    const auto come = added.find(kind);
    if (gone == removed.end() && come == added.end()) continue;
    ExpectationEdit edit{file, text_of(folder / file), {}};
    edit.after = edited(edit.before, gone == removed.end() ? std::set<int>() : gone->second,
                        come == added.end() ? std::vector<std::string>() : come->second, run.name);
    edits.push_back(std::move(edit));
  }
  return edits;
}

}  // namespace flashgate::matrix
