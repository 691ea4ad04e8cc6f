#include <ostream>

#include <fmt/format.h>

#include "reports/html_escape.h"
#include "reports/html_parts.h"
#include "reports/plain_text.h"
#include "reports/repro_line.h"
#include "reports/verdict_style.h"

namespace flashgate::reports {
namespace {

/// More groups than this are counted; the matrix has their rows under dimension change.
constexpr std::size_t kMostGroups = 50;

std::string verdict_text(int verdict)
{
  if (verdict < 0) return "not there";
  const auto value = static_cast<matrix::Verdict>(verdict);
  return fmt::format("{} {}", verdict_sign(value), verdict_name(value));
}

void write_group(std::ostream& out, const ChangedRows& group)
{
  const bool new_failure = group.before < 0 && matrix::is_failure(group.now);
  const bool bad = group.is_worse() || new_failure;
  out << fmt::format("<div class=\"class{}\">\n<p><span class=\"tag{}\">{}: {} → {}</span> <b>{}</b> {}{}</p>\n",
                     bad ? " bad" : "", bad ? " bad" : "", count_of(group.rows, "cell"), verdict_text(group.before),
                     verdict_text(static_cast<int>(group.now)), html_escape(group.subject, 200),
                     html_escape(group.check_id, 40), group.detail.empty() ? "" : ": " + html_escape(group.detail));
  out << "<code class=\"repro\">" << html_escape(repro_line(group.example_cell, group.subject), 8000)
      << "</code></div>\n";
}

std::int64_t count_rows(const RunChanges& changes, bool worse)
{
  std::int64_t rows = 0;
  for (const ChangedRows& group : changes.groups)
    if (group.before >= 0 && group.is_worse() == worse) rows += group.rows;
  return rows;
}

std::string headline(const RunChanges& changes)
{
  const std::int64_t worse = count_rows(changes, true), better = count_rows(changes, false);
  std::int64_t fresh = 0;
  for (const ChangedRows& group : changes.groups)
    if (group.before < 0) fresh += group.rows;
  std::string text = fmt::format("<b class=\"{}\">{} worse</b>, {} better", worse > 0 ? "bad" : "good",
                                 worse > 0 ? "✗ " + group_digits(worse) : "✓ none", group_digits(better));
  if (fresh > 0) text += fmt::format(", {} new", group_digits(fresh));
  return text + fmt::format(" of {}", count_of(changes.rows, "row"));
}

}  // namespace

void write_changes(std::ostream& out, const RunChanges& changes)
{
  out << "<h2 id=\"changes\">Since the last run</h2>\n";
  if (changes.older_run.empty()) {
    out << "<p class=\"soft\">There is no earlier run of this suite to compare with.</p>\n";
    return;
  }
  out << fmt::format("<p>Against run {}{}: {}. <a href=\"#?y=subject&amp;x=change\">Show them in the matrix</a>.</p>\n",
                     html_escape(changes.older_run, 80),
                     changes.older_started.empty() ? "" : " of " + html_escape(changes.older_started, 40),
                     headline(changes));
  std::size_t written = 0;
  for (const ChangedRows& group : changes.groups)
    if (written++ < kMostGroups) write_group(out, group);
  if (written > kMostGroups)
    out << "<p class=\"soft\">and " << count_of(static_cast<std::int64_t>(written - kMostGroups), "kind")
        << " of change more.</p>\n";
}

}  // namespace flashgate::reports
