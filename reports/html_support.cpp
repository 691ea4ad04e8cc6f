#include <ostream>

#include <fmt/format.h>

#include "reports/html_escape.h"
#include "reports/html_parts.h"
#include "reports/plain_text.h"

namespace flashgate::reports {
namespace {

std::string part(std::int64_t number, std::string_view tone, std::string_view sign)
{
  if (number == 0) return {};
  return fmt::format("<span class=\"{}\">{} {}</span> ", tone, sign, group_digits(number));
}

std::string entry(const SupportCounts& counts)
{
  const std::int64_t all = counts.served + counts.refused + counts.failing;
  if (all == 0) return "<td class=\"neutral\">·</td>";
  const char* tone = counts.failing > 0 ? "bad" : counts.served > 0 ? "good" : "neutral";
  return fmt::format("<td class=\"{}\" title=\"{} served, {} refused, {} failing\">{}{}{}</td>", tone,
                     group_digits(counts.served), group_digits(counts.refused), group_digits(counts.failing),
                     part(counts.failing, "bad", "✗"), part(counts.served, "good", "✓"),
                     part(counts.refused, "neutral", "–"));
}

void write_subject(std::ostream& out, const SubjectSupport& support, bool open)
{
  out << fmt::format(
      "<details{}><summary>{}</summary>\n<div class=\"scroll\"><table class=\"matrix\">\n<thead><tr><th "
      "scope=\"col\">head dim</th>",
      open ? " open" : "", html_escape(support.subject, 200));
  for (const std::string& device : support.devices)
    out << fmt::format("<th scope=\"col\">{}</th>", html_escape(device, 40));
  out << "</tr></thead>\n<tbody>\n";
  for (std::size_t i = 0; i < support.head_dims.size(); ++i) {
    out << fmt::format("<tr><th scope=\"row\">{}</th>", html_escape(support.head_dims[i], 40));
    for (std::size_t j = 0; j < support.devices.size(); ++j)
      out << entry(support.counts[i * support.devices.size() + j]);
    out << "</tr>\n";
  }
  out << "</tbody></table></div>\n</details>\n";
}

}  // namespace

void write_support(std::ostream& out, const std::vector<SubjectSupport>& support)
{
  out << "<section class=\"graphs\">\n<h2 id=\"support\">Support</h2>\n<p class=\"soft\">Cells by head dim and device: "
         "✗ "
         "failing, expected or not, ✓ served to the end, – refused. All other axes are in these counts, also versions "
         "that are invalid on purpose.</p>\n";
  if (support.empty()) out << "<p>The run has no cells of a dispatcher.</p>\n";
  for (const SubjectSupport& one : support)
    write_subject(out, one, support.size() == 1);
  out << "</section>\n";
}

void write_coverage(std::ostream& out, const std::vector<FileCoverage>& coverage)
{
  out << "<h2 id=\"coverage\">Coverage of dispatch code</h2>\n";
  if (coverage.empty()) {
    out << "<p class=\"soft\">No subject of this run is a checkout whose lines were traced.</p>\n";
    return;
  }
  out << "<div class=\"scroll\"><table>\n<thead><tr><th scope=\"col\">subject</th><th scope=\"col\">file</th><th "
         "scope=\"col\" class=\"number\">lines that ran</th><th scope=\"col\">lines that no cell "
         "ran</th></tr></thead>\n"
         "<tbody>\n";
  for (const FileCoverage& file : coverage) {
    const double percent =
        file.lines == 0 ? 0.0 : 100.0 * static_cast<double>(file.covered) / static_cast<double>(file.lines);
    out << fmt::format(
        "<tr><th scope=\"row\">{}</th><td><code>{}</code></td><td class=\"number\">{} of {} "
        "({:.1f}%)</td><td>{}</td></tr>\n",
        html_escape(file.subject, 200), html_escape(file.file, 400), group_digits(file.covered),
        group_digits(file.lines), percent, file.missing.empty() ? "none" : html_escape(file.missing, 1000));
  }
  out << "</tbody></table></div>\n";
}

}  // namespace flashgate::reports
