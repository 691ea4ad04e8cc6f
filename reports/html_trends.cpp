#include <algorithm>
#include <ostream>

#include <fmt/format.h>

#include "reports/html_escape.h"
#include "reports/html_parts.h"
#include "reports/plain_text.h"

namespace flashgate::reports {
namespace {

// Size of a chart in SVG units.
constexpr double kWidth = 320, kHeight = 84, kMargin = 8;

std::string value_text(double value, const std::string& unit)
{
  if (value < 0) return "–";
  const std::string number = value == static_cast<double>(static_cast<std::int64_t>(value))
                                 ? group_digits(static_cast<std::int64_t>(value))
                                 : fmt::format("{:.3g}", value);
  return unit.empty() ? number : number + " " + unit;
}

double x_of(std::size_t i, std::size_t count)
{
  return kMargin +
         (kWidth - 2 * kMargin) * static_cast<double>(i) / static_cast<double>(std::max<std::size_t>(count - 1, 1));
}

/// A line from run to run, a dot per run. The axis begins at zero, so that a step looks as large as it is.
void write_chart(std::ostream& out, const TrendLine& line, const std::vector<RunFigures>& trend)
{
  const double most = std::max(*std::max_element(line.values.begin(), line.values.end()), 1e-9);
  const auto y_of = [&](double value) { return kHeight - kMargin - (kHeight - 2 * kMargin) * value / most; };
  std::string path, dots;
  for (std::size_t i = 0; i < line.values.size(); ++i) {
    if (line.values[i] < 0) continue;
    const double x = x_of(i, line.values.size()), y = y_of(line.values[i]);
    path += fmt::format("{}{:.1f} {:.1f}", path.empty() ? "M" : "L", x, y);
    dots += fmt::format("<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"3\"><title>{}: {}</title></circle>", x, y,
                        html_escape(trend[i].run.name, 80), html_escape(value_text(line.values[i], line.unit)));
  }
  const double last = line.values.back();
  out << fmt::format(
      "<figure class=\"trend\"><figcaption>{} <b>{}</b></figcaption><svg viewBox=\"0 0 {} {}\" role=\"img\" "
      "aria-label=\"{}\"><path class=\"axis\" d=\"M{} {}H{}\"/><path d=\"{}\"/>{}</svg></figure>\n",
      html_escape(line.name, 80), html_escape(value_text(last, line.unit)), kWidth, kHeight, html_escape(line.name, 80),
      kMargin, kHeight - kMargin, kWidth - kMargin, path, dots);
}

void write_table(std::ostream& out, const std::vector<TrendLine>& lines, const std::vector<RunFigures>& trend)
{
  out << "<details><summary>As a table</summary>\n<div class=\"scroll\"><table>\n<thead><tr><th "
         "scope=\"col\">run</th><th "
         "scope=\"col\">started</th><th scope=\"col\">commit</th>";
  for (const TrendLine& line : lines)
    out << fmt::format("<th scope=\"col\" class=\"number\">{}</th>", html_escape(line.name, 80));
  out << "</tr></thead>\n<tbody>\n";
  for (std::size_t i = 0; i < trend.size(); ++i) {
    const RunFigures& run = trend[i];
    out << fmt::format("<tr><th scope=\"row\">{}{}</th><td class=\"line\">{}</td><td><code>{}</code></td>",
                       run.database.empty() ? "" : html_escape(run.database, 80) + " ", html_escape(run.run.name, 80),
                       html_escape(run.run.started, 40), html_escape(run.run.provenance.commit.substr(0, 12), 40));
    for (const TrendLine& line : lines)
      out << "<td class=\"number\">" << html_escape(value_text(line.values[i], line.unit)) << "</td>";
    out << "</tr>\n";
  }
  out << "</tbody></table></div>\n</details>\n";
}

}  // namespace

void write_trends(std::ostream& out, const std::vector<RunFigures>& trend)
{
  out << "<h2 id=\"trends\">Trends</h2>\n";
  const std::vector<TrendLine> lines = trend_lines(trend);
  if (lines.empty()) {
    out << "<p class=\"soft\">There is one run of this suite so far; two make a trend.</p>\n";
    return;
  }
  out << fmt::format("<p class=\"soft\">{} of the suite, oldest at the left.</p>\n<div class=\"trends\">\n",
                     count_of(static_cast<std::int64_t>(trend.size()), "run"));
  for (const TrendLine& line : lines)
    if (std::any_of(line.values.begin(), line.values.end(), [](double value) { return value >= 0; }))
      write_chart(out, line, trend);
  out << "</div>\n";
  write_table(out, lines, trend);
}

}  // namespace flashgate::reports
