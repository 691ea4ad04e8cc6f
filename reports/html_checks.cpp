#include <ostream>

#include <fmt/format.h>

#include "reports/html_escape.h"
#include "reports/html_parts.h"
#include "reports/plain_text.h"
#include "reports/verdict_style.h"

namespace flashgate::reports {
namespace {

Tone banner_tone(RunState state)
{
  switch (state) {
    case RunState::ok:
      return Tone::good;
    case RunState::incomplete:
      return Tone::warning;
    default:
      return Tone::bad;
  }
}

std::string tile(std::string_view label, std::int64_t number, Tone tone)
{
  return fmt::format("<div><dt>{} {}</dt><dd{}>{}</dd></div>\n", tone_sign(tone), label,
                     number > 0 ? fmt::format(" class=\"{}\"", tone_name(tone)) : "", group_digits(number));
}

Tone entry_tone(const CheckCounts& counts)
{
  if (counts.unexpected() > 0) return Tone::bad;
  if (counts.warned > 0 && counts.expected == 0) return Tone::warning;
  return counts.passed > 0 && counts.expected == 0 ? Tone::good : Tone::neutral;
}

/// What a pointer on an entry shows.
std::string entry_title(const CheckCounts& counts)
{
  std::string text;
  const auto add = [&](std::int64_t number, std::string_view what) {
    if (number > 0) text += fmt::format("{}{} {}", text.empty() ? "" : ", ", group_digits(number), what);
  };
  add(counts.failed, "failing unexpectedly");
  add(counts.absent, "expected to fail that did not");
  add(counts.expected - counts.flaky, "failing as expected");
  add(counts.flaky, "flaky");
  add(counts.warned, "with a warning");
  add(counts.passed, "passed");
  add(counts.not_supported, "not supported or skipped");
  return text;
}

std::string entry_text(const CheckCounts& counts)
{
  const std::string_view sign = tone_sign(entry_tone(counts));
  const std::string expected =
      counts.expected > 0 ? fmt::format("<small>× {}</small>", group_digits(counts.expected)) : "";
  if (counts.unexpected() > 0) return fmt::format("{} {}{}", sign, group_digits(counts.unexpected()), expected);
  if (counts.expected > 0) return expected;
  if (counts.warned > 0) return fmt::format("{} {}", sign, group_digits(counts.warned));
  return std::string(sign);
}

std::string entry(const CheckCounts& counts, std::size_t subject, std::size_t check)
{
  if (counts.empty()) return "<td class=\"neutral\"><abbr title=\"does not apply\">·</abbr></td>";
  const bool linked = counts.failed + counts.expected > 0;
  const std::string text = linked
                               ? fmt::format("<a href=\"#{}\">{}</a>", class_anchor(subject, check), entry_text(counts))
                               : entry_text(counts);
  return fmt::format("<td class=\"{}\" title=\"{}\">{}</td>", tone_name(entry_tone(counts)), entry_title(counts), text);
}

}  // namespace

void write_banner(std::ostream& out, const RunSummary& summary)
{
  const CheckCounts total = summary.totals();
  out << fmt::format("<section class=\"banner {}\">\n<h1>{}</h1>\n<p>{}</p>\n", tone_name(banner_tone(summary.state())),
                     html_escape(headline(summary)), html_escape(run_line(summary)));
  if (const std::string step = next_step(summary); !step.empty()) out << "<p>" << html_escape(step, 4000) << "</p>\n";
  out << "</section>\n";
  out << "<dl class=\"tiles\">\n"
      << tile(summary.run.with_expectations ? "unexpected" : "failed", total.unexpected(), Tone::bad)
      << tile("failing as expected", total.expected - total.flaky, Tone::neutral)
      << (total.flaky > 0 ? tile("flaky", total.flaky, Tone::warning) : "")
      << tile("warnings", total.warned, Tone::warning) << tile("passed", total.passed, Tone::good)
      << tile("not supported or skipped", total.not_supported, Tone::neutral)
      << "</dl>\n<p class=\"soft\">Counted are verdicts: one per cell and check that applies.</p>\n";
}

void write_check_table(std::ostream& out, const RunSummary& summary)
{
  out << "<h2 id=\"checks\">Subjects and checks</h2>\n";
  if (summary.checks.empty()) {
    out << "<p>No check had anything to judge.</p>\n";
    return;
  }
  out << "<div class=\"scroll\"><table class=\"matrix\">\n<thead><tr><th scope=\"col\">subject</th>";
  for (const CheckHeading& check : summary.checks)
    out << fmt::format("<th scope=\"col\"><abbr title=\"{}\">{}</abbr></th>", html_escape(check.title),
                       html_escape(check.id, 40));
  out << "</tr></thead>\n<tbody>\n";
  for (std::size_t s = 0; s < summary.subjects.size(); ++s) {
    const SubjectSummary& subject = summary.subjects[s];
    out << fmt::format("<tr><th scope=\"row\" title=\"{}\">{}</th>", html_escape(subject.description),
                       html_escape(subject.name, 80));
    for (std::size_t c = 0; c < subject.checks.size(); ++c)
      out << entry(subject.checks[c], s, c);
    out << "</tr>\n";
  }
  out << "</tbody></table></div>\n<p class=\"soft\">✓ all pass, ✗ unexpected, × expected or flaky, ! warnings, – not "
         "supported or skipped, "
         "· does not apply.</p>\n<details><summary>What the checks say</summary>\n<dl class=\"facts\">\n";
  for (const CheckHeading& check : summary.checks)
    if (!check.title.empty())
      out << fmt::format("<dt>{}</dt><dd>{}</dd>\n", html_escape(check.id, 40), html_escape(check.title));
  out << "</dl></details>\n";
}

}  // namespace flashgate::reports
