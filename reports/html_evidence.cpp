#include <map>
#include <ostream>
#include <set>

#include <fmt/format.h>

#include "reports/execution_lines.h"
#include "reports/html_escape.h"
#include "reports/html_parts.h"
#include "reports/plain_text.h"
#include "reports/verdict_style.h"

namespace flashgate::reports {
namespace {

using KernelCounts = std::map<matrix::Verdict, std::int64_t>;

std::string count_text(const KernelCounts& counts)
{
  std::string text;
  for (const auto& [verdict, executions] : counts)
    text += fmt::format("{}<span class=\"{}\">{} {} {}</span>", text.empty() ? "" : ", ", tone_name(tone_of(verdict)),
                        verdict_sign(verdict), group_digits(executions), verdict_name(verdict));
  return text.empty() ? "·" : text;
}

void write_ratio_table(std::ostream& out, const RunSummary& summary)
{
  if (summary.worst_ratios.empty()) return;
  out << "<h3>Worst error as a share of its bound</h3>\n<div class=\"scroll\"><table>\n<thead><tr><th "
         "scope=\"col\">kernel</th><th scope=\"col\">dtype</th><th scope=\"col\">tensor</th><th scope=\"col\" "
         "class=\"number\">error / bound</th><th scope=\"col\" class=\"number\">error / field's rule</th><th "
         "scope=\"col\">worst execution</th></tr></thead>\n<tbody>\n";
  for (const matrix::WorstRatioRow& row : summary.worst_ratios) {
    const bool beyond = row.bound_ratio > 1;
    out << fmt::format(
        "<tr><th scope=\"row\">{}</th><td>{}</td><td>{}</td><td class=\"number {}\">{} {:.3f}</td><td "
        "class=\"number\">{:.3f}</td><td><code>{}</code></td></tr>\n",
        html_escape(row.kernel, 80), html_escape(row.dtype, 40), html_escape(row.tensor, 40), beyond ? "bad" : "good",
        beyond ? "✗" : "✓", row.bound_ratio, row.field_rule_ratio, html_escape(row.execution, 400));
  }
  out << "</tbody></table></div>\n";
}

}  // namespace

void write_evidence(std::ostream& out, const RunSummary& summary)
{
  out << "<h2 id=\"evidence\">Evidence</h2>\n";
  if (summary.executions.empty()) {
    out << "<p>No kernel was executed in this run: the verdicts are about dispatch decisions.</p>\n";
    return;
  }
  std::set<std::string> levels;
  std::map<std::string, std::map<std::string, KernelCounts>> kernels;
  for (const matrix::ExecutionCount& count : summary.executions) {
    levels.insert(count.evidence);
    kernels[count.kernel][count.evidence][count.verdict] += count.executions;
  }
  std::string bits;
  for (const std::string& line : execution_lines(summary)) {
    const std::string paragraph = "<p>" + html_escape(line) + "</p>\n";
    if (line.starts_with("No bits"))
      bits += paragraph;
    else if (!line.starts_with("worst"))
      out << paragraph;
  }
  if (!bits.empty()) out << "<details><summary>Tensors whose bits may vary</summary>\n" << bits << "</details>\n";
  out << "<div class=\"scroll\"><table>\n<thead><tr><th scope=\"col\">kernel</th>";
  for (const std::string& level : levels)
    out << fmt::format("<th scope=\"col\">evidence {}</th>", html_escape(level, 40));
  out << "</tr></thead>\n<tbody>\n";
  for (const auto& [kernel, by_level] : kernels) {
    out << fmt::format("<tr><th scope=\"row\">{}</th>", html_escape(kernel, 80));
    for (const std::string& level : levels) {
      const auto place = by_level.find(level);
      out << "<td>" << (place == by_level.end() ? "·" : count_text(place->second)) << "</td>";
    }
    out << "</tr>\n";
  }
  out << "</tbody></table></div>\n";
  write_ratio_table(out, summary);
}

}  // namespace flashgate::reports
