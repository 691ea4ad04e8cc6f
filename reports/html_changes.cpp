#include <ostream>

#include <fmt/format.h>

#include "reports/gate.h"
#include "reports/html_escape.h"
#include "reports/html_parts.h"
#include "reports/plain_text.h"
#include "reports/repro_line.h"
#include "reports/verdict_style.h"

namespace flashgate::reports {
namespace {

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
  if (group.condition) out << "<p class=\"soft\">" << where_phrase(*group.condition) << "</p>\n";
  if (const std::string deciding = group.deciding ? deciding_text(*group.deciding, "the older run") : "";
      !deciding.empty())
    out << "<p class=\"soft\">decided by <code>" << html_escape(deciding, 1000) << "</code></p>\n";
  const bool is_test = group.example_cell.starts_with(matrix::kTestPrefix);
  out << (is_test ? "<code>" : "<code class=\"repro\">")
      << html_escape(is_test ? group.example_cell : repro_line(group.example_cell, group.subject), 8000)
      << "</code></div>\n";
}

std::string headline(const RunChanges& changes)
{
  std::string text =
      fmt::format("<b class=\"{}\">{} worse</b>, {} better", changes.worse > 0 ? "bad" : "good",
                  changes.worse > 0 ? "✗ " + group_digits(changes.worse) : "✓ none", group_digits(changes.better));
  if (changes.fresh > 0) text += fmt::format(", {} new", group_digits(changes.fresh));
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
  for (const ChangedRows& group : changes.groups)
    write_group(out, group);
  if (changes.left_out > 0)
    out << "<p class=\"soft\">and " << count_of(static_cast<std::int64_t>(changes.left_out), "kind")
        << " of change more.</p>\n";
}

}  // namespace flashgate::reports
