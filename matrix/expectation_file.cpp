#include <algorithm>
#include <fstream>
#include <sstream>

#include <fmt/format.h>

#include "matrix/expectations.h"
#include "matrix/subjects.h"
#include "matrix/texts.h"
#include "reference/error.h"

namespace flashgate::matrix {
namespace {

[[noreturn]] void reject(const Expectation& at, std::string_view why)
{
  throw Error(fmt::format("{}:{}: {}", at.file, at.line, why));
}

bool is_date(std::string_view text)
{
  if (text.size() != 10) return false;
  for (std::size_t i = 0; i < text.size(); ++i)
    if (i == 4 || i == 7 ? text[i] != '-' : text[i] < '0' || text[i] > '9') return false;
  return true;
}

void set_cell_pattern(Expectation& line, std::string_view pattern)
{
  try {
    line.cell_pattern = pattern;
    line.cell_regex = std::regex(line.cell_pattern);
  } catch (const std::regex_error&) {
    reject(line, fmt::format("cell={} is not a regular expression", printable(pattern)));
  }
}

/// A built-in subject, or one that a person names on the command line and that need not be at hand here.
bool is_subject_name(std::string_view name)
{
  if (name.starts_with("fleet:") || name.starts_with("exec:")) return true;
  return std::ranges::any_of(built_in_subjects(), [&](const SubjectPtr& subject) { return subject->name() == name; });
}

void set_subjects(Expectation& line, std::string_view list)
{
  if (!line.subjects.empty()) reject(line, "subject= is given twice, expected a list: subject=NAME,NAME");
  for (const std::string_view name : split(list, ',')) {
    if (!is_subject_name(name))
      reject(line, fmt::format("subject '{}' is not known, expected a built-in one, fleet:... or exec:...",
                               printable(name)));
    line.subjects.emplace_back(name);
  }
}

void set_check(Expectation& line, std::string_view id)
{
  line.check = find_check(id);
  if (line.check < 0) reject(line, fmt::format("there is no check '{}', expected I1 ... I11", printable(id)));
}

void set_verdict(Expectation& line, std::string_view name)
{
  const auto verdict = find_verdict(name);
  if (!verdict || !is_failure(*verdict))
    reject(line,
           fmt::format("verdict={} is no failure, expected fail, hang, crash, timeout or error", printable(name)));
  line.verdict = *verdict;
}

void add_term(Expectation& line, std::string_view term)
{
  const auto value_of = [&](std::string_view key) {
    return term.starts_with(key) ? term.substr(key.size()) : std::string_view();
  };
  if (const auto subject = value_of("subject="); !subject.empty()) {
    set_subjects(line, subject);
  } else if (const auto check = value_of("check="); !check.empty()) {
    set_check(line, check);
  } else if (const auto verdict = value_of("verdict="); !verdict.empty()) {
    set_verdict(line, verdict);
  } else if (const auto cell = value_of("cell="); !cell.empty()) {
    set_cell_pattern(line, cell);
  } else {
    line.condition.add_term(term);
  }
}

void set_fields(Expectation& line, const std::vector<std::string_view>& fields)
{
  if (fields.size() != 4) reject(line, "expected 4 fields: terms | reason | owner | expiry");
  line.text = trim(fields[0]);
  line.reason = trim(fields[1]);
  line.owner = trim(fields[2]);
  line.expiry = trim(fields[3]);
  if (line.text.empty()) reject(line, "expected at least one term before the first |");
  if (line.reason.empty()) reject(line, "expected a reason between the first and the second |");
  if (line.expiry != "never" && !is_date(line.expiry)) reject(line, "expected expiry as YYYY-MM-DD or never");
}

Expectation parse_line(Expectation line, std::string_view text)
{
  set_fields(line, split(text, '|'));
  try {
    for (const std::string_view term : split(line.text, ' '))
      if (!term.empty()) add_term(line, term);
  } catch (const Error& error) {
    const std::string_view what = error.what();
    if (what.starts_with(line.file + ":")) throw;
    reject(line, what);
  }
  if (line.kind == ExpectationKind::fails && line.check < 0) reject(line, "expected check=ID");
  return line;
}

std::string read_file(const std::filesystem::path& path)
{
  std::ifstream in(path, std::ios::binary);
  if (!in) return {};
  std::ostringstream text;
  text << in.rdbuf();
  if (in.bad() || std::filesystem::is_directory(path)) throw Error(path.string() + ": cannot be read");
  return text.str();
}

}  // namespace

std::vector<Expectation> parse_expectations(ExpectationKind kind, const std::string& file, std::string_view text)
{
  std::vector<Expectation> lines;
  Expectation at;
  at.kind = kind;
  at.file = file;
  for (const std::string_view raw : split(text, '\n')) {
    ++at.line;
    if (find_invalid_utf8(raw) != std::string_view::npos) reject(at, "expected UTF-8 text");
    const std::string_view content = trim(raw);
    if (content.empty() || content.front() == '#') continue;
    lines.push_back(parse_line(at, content));
  }
  return lines;
}

std::vector<Expectation> load_expectations(const std::filesystem::path& folder, const std::string& suite)
{
  constexpr std::array<std::pair<ExpectationKind, std::string_view>, 3> kFiles{
      {{ExpectationKind::fails, "fails"}, {ExpectationKind::flakes, "flakes"}, {ExpectationKind::skips, "skips"}}};
  std::vector<Expectation> all;
  for (const auto& [kind, word] : kFiles) {
    const std::string file = fmt::format("{}-{}.txt", suite, word);
    std::vector<Expectation> lines = parse_expectations(kind, file, read_file(folder / file));
    std::move(lines.begin(), lines.end(), std::back_inserter(all));
  }
  return all;
}

}  // namespace flashgate::matrix
