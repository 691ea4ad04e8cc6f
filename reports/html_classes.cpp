#include <ostream>

#include <fmt/format.h>

#include "reports/html_escape.h"
#include "reports/html_parts.h"
#include "reports/plain_text.h"
#include "reports/repro_line.h"
#include "reports/verdict_style.h"

namespace flashgate::reports {
namespace {

/// More classes of one check of one subject than this are counted; failures.csv has their cells.
constexpr std::size_t kMostClasses = 100;

std::string class_counts(const matrix::FailureClass& failure)
{
  if (failure.unexpected == 0)
    return fmt::format("<span class=\"tag\">{}, expected</span>", count_of(failure.cells, "cell"));
  const std::string some =
      failure.unexpected < failure.cells ? fmt::format(" of {}", group_digits(failure.cells)) : std::string();
  return fmt::format("<span class=\"tag bad\">{} {}{}</span>", verdict_sign(failure.verdict),
                     group_digits(failure.unexpected),
                     some + (failure.unexpected == 1 && some.empty() ? " cell" : " cells"));
}

/// What was found, with the verdict's name where it is not a plain fail.
std::string finding(const matrix::FailureClass& failure)
{
  const std::string name(verdict_name(failure.verdict));
  if (failure.detail.empty()) return name;
  return failure.verdict == matrix::Verdict::fail ? failure.detail : name + ": " + failure.detail;
}

void write_class(std::ostream& out, const SubjectSummary& subject, const matrix::FailureClass& failure)
{
  out << fmt::format("<div class=\"class{}\">\n<p>{} <b>{}</b></p>\n", failure.unexpected > 0 ? " bad" : "",
                     class_counts(failure), html_escape(finding(failure)));
  if (failure.is_of_plans) out << "<p class=\"soft\">" << where_phrase(failure.condition) << "</p>\n";
  if (failure.example_cell.starts_with(matrix::kTestPrefix))
    out << "<p><code>" << html_escape(failure.example_cell, 1000) << "</code></p>\n";
  out << "<code class=\"repro\">" << html_escape(repro_line(failure, subject.description), 8000) << "</code></div>\n";
}

void write_check(std::ostream& out, const RunSummary& summary, std::size_t s, std::size_t c)
{
  const SubjectSummary& subject = summary.subjects[s];
  const CheckHeading& check = summary.checks[c];
  std::size_t written = 0, all = 0;
  for (const matrix::FailureClass& failure : subject.classes) {
    if (failure.check_id != check.id) continue;
    if (all++ == 0)
      out << fmt::format("<h4 id=\"{}\">{} <span>{}</span></h4>\n", class_anchor(s, c), html_escape(check.id, 40),
                         html_escape(check.title));
    if (written == kMostClasses) continue;
    write_class(out, subject, failure);
    ++written;
  }
  if (written < all)
    out << "<p class=\"soft\">and " << count_of(static_cast<std::int64_t>(all - written), "class") << " more.</p>\n";
}

/// Checks with unexpected failures come first, the rest in the order of the table.
void write_subject(std::ostream& out, const RunSummary& summary, std::size_t s)
{
  const SubjectSummary& subject = summary.subjects[s];
  if (subject.classes.empty()) return;
  out << fmt::format("<h3 id=\"s{}\">{}</h3>\n<p class=\"soft\">{}</p>\n", s, html_escape(subject.name, 200),
                     html_escape(subject.description));
  for (const bool unexpected : {true, false})
    for (std::size_t c = 0; c < summary.checks.size(); ++c)
      if ((subject.checks[c].unexpected() > 0) == unexpected) write_check(out, summary, s, c);
}

std::string problem_row(const matrix::ExpectationUse& use)
{
  return fmt::format(
      "<tr><td class=\"line\"><code>{}</code></td><td class=\"line\"><b class=\"warning\">! {}</b></td><td "
      "class=\"number\">{} of {}</td>"
      "<td><code>{}</code><br><span class=\"soft\">{}</span></td></tr>\n",
      html_escape(fmt::format("{}:{}", use.file, use.line), 80), html_escape(use.status, 40), group_digits(use.failing),
      group_digits(use.matched), html_escape(use.text), html_escape(use.reason));
}

}  // namespace

std::string where_phrase(const std::string& condition)
{
  return condition.empty() ? "everywhere" : "where <code>" + html_escape(condition) + "</code>";
}

std::string class_anchor(std::size_t subject, std::size_t check) { return fmt::format("s{}-c{}", subject, check); }

void write_failing_classes(std::ostream& out, const RunSummary& summary)
{
  out << "<h2 id=\"classes\">Failing classes</h2>\n";
  const std::int64_t classes = summary.class_count(true) + summary.class_count(false);
  out << (classes == 0
              ? "<p>None.</p>\n"
              : "<p class=\"soft\">A class is the cells of a subject that break a check in the same way, named by the "
                "smallest condition that holds for them and for no cell that passes.</p>\n");
  for (std::size_t s = 0; s < summary.subjects.size(); ++s)
    write_subject(out, summary, s);
}

void write_expectation_problems(std::ostream& out, const RunSummary& summary)
{
  if (summary.expectation_problems.empty()) return;
  out << "<h2 id=\"expectations\">Expectation lines to look at</h2>\n<div class=\"scroll\"><table>\n<thead><tr>"
         "<th scope=\"col\">line</th><th scope=\"col\">state</th><th scope=\"col\">fails as it says</th>"
         "<th scope=\"col\">text and reason</th></tr></thead>\n<tbody>\n";
  for (const matrix::ExpectationUse& use : summary.expectation_problems)
    out << problem_row(use);
  out << "</tbody></table></div>\n";
}

void write_excluded(std::ostream& out, const RunSummary& summary)
{
  if (summary.excluded.empty()) return;
  out << "<h2 id=\"excluded\">Excluded by constraints</h2>\n<div class=\"scroll\"><table>\n<thead><tr>"
         "<th scope=\"col\" class=\"number\">count</th><th scope=\"col\">reason</th></tr></thead>\n<tbody>\n";
  for (const auto& [reason, cells] : summary.excluded)
    out << fmt::format("<tr><td class=\"number\">{}</td><td>{}</td></tr>\n", group_digits(cells), html_escape(reason));
  out << "</tbody></table></div>\n";
}

}  // namespace flashgate::reports
