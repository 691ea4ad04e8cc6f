#include <algorithm>
#include <fstream>
#include <map>
#include <sstream>

#include <fmt/format.h>

#include "matrix/execution.h"
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
      reject(line,
             fmt::format("subject '{}' is not known, expected a built-in one, fleet:... or exec:...", printable(name)));
    line.subjects.emplace_back(name);
  }
}

void add_check(Expectation& line, std::string_view id)
{
  if (const int check = find_check(id); check >= 0) return line.checks.push_back(check);
  const auto of_executions = find_execution_check(id);
  if (!of_executions)
    reject(line, fmt::format("there is no check '{}', expected I1 ... I11 or one of executions (flashgate list checks)",
                             printable(id)));
  line.execution_checks.push_back(*of_executions);
}

void set_checks(Expectation& line, std::string_view list)
{
  if (line.names_checks()) reject(line, "check= is given twice, expected a list: check=ID,ID");
  for (const std::string_view id : split(list, ','))
    add_check(line, id);
}

void set_verdict(Expectation& line, std::string_view name)
{
  const auto verdict = find_verdict(name);
  if (!verdict || !is_failure(*verdict))
    reject(line,
           fmt::format("verdict={} is no failure, expected fail, hang, crash, timeout or error", printable(name)));
  line.verdict = *verdict;
}

using Names = std::map<std::string, std::shared_ptr<const NamedCondition>, std::less<>>;

/// A term without a sign is a name, "det_rule" or "!det_rule"; any other is a condition on an axis.
void add_term(Clause& clause, const Names& names, std::string_view term)
{
  if (term.find_first_of("=<>") != std::string_view::npos) return clause.axes.add_term(term);
  const bool negated = term.starts_with('!');
  const auto found = names.find(negated ? term.substr(1) : term);
  if (found == names.end())
    throw Error(fmt::format("'{}' is neither axis=value nor a name that a let line above defines", printable(term)));
  clause.names.push_back({found->second, negated});
}

void add_term(Expectation& line, const Names& names, std::string_view term)
{
  const auto value_of = [&](std::string_view key) {
    return term.starts_with(key) ? term.substr(key.size()) : std::string_view();
  };
  if (const auto subject = value_of("subject="); !subject.empty()) {
    set_subjects(line, subject);
  } else if (const auto check = value_of("check="); !check.empty()) {
    set_checks(line, check);
  } else if (const auto verdict = value_of("verdict="); !verdict.empty()) {
    set_verdict(line, verdict);
  } else if (const auto cell = value_of("cell="); !cell.empty()) {
    set_cell_pattern(line, cell);
  } else {
    add_term(line.condition, names, term);
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

/// Calls `parse` for each term, and has its errors name file and line.
template <typename ParseTerm>
void for_each_term(const Expectation& at, std::string_view terms, ParseTerm parse)
{
  try {
    for (const std::string_view term : split(terms, ' '))
      if (!term.empty()) parse(term);
  } catch (const Error& error) {
    const std::string_view what = error.what();
    if (what.starts_with(at.file + ":")) throw;
    reject(at, what);
  }
}

Expectation parse_line(Expectation line, const Names& names, std::string_view text)
{
  set_fields(line, split(text, '|'));
  for_each_term(line, line.text, [&](std::string_view term) { add_term(line, names, term); });
  if (line.kind == ExpectationKind::fails && !line.names_checks()) reject(line, "expected check=ID");
  return line;
}

bool is_name(std::string_view text)
{
  const auto is_letter = [](char c) { return c == '_' || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9'); };
  return !text.empty() && std::ranges::all_of(text, is_letter) && text != "or" && find_attribute(text) < 0;
}

/// Reads what follows "let": NAME = TERMS or TERMS ...
void parse_let(const Expectation& at, std::string_view text, Names& names)
{
  const std::size_t sign = text.find(" = ");
  if (sign == std::string_view::npos) reject(at, "expected let NAME = TERMS, or between alternatives");
  NamedCondition made{std::string(trim(text.substr(0, sign))), {Clause()}};
  if (!is_name(made.name) || names.contains(made.name))
    reject(at, fmt::format("'{}' is no new name, expected small letters, and no axis", printable(made.name)));
  bool is_open = true;  // nothing yet in the last alternative
  for_each_term(at, text.substr(sign + 3), [&](std::string_view term) {
    if (term != "or") {
      add_term(made.alternatives.back(), names, term);
    } else {
      if (is_open) reject(at, "expected terms before or");
      made.alternatives.emplace_back();
    }
    is_open = term == "or";
  });
  if (is_open) reject(at, "expected terms at the end");
  std::string name = made.name;
  names.emplace(std::move(name), std::make_shared<const NamedCondition>(std::move(made)));
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
  Names names;
  Expectation at;
  at.kind = kind;
  at.file = file;
  for (const std::string_view raw : split(text, '\n')) {
    ++at.line;
    if (find_invalid_utf8(raw) != std::string_view::npos) reject(at, "expected UTF-8 text");
    const std::string_view content = trim(raw);
    if (content.empty() || content.front() == '#') continue;
    if (content.starts_with("let "))
      parse_let(at, content.substr(4), names);
    else
      lines.push_back(parse_line(at, names, content));
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
