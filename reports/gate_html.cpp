#include <fmt/format.h>

#include "reports/gate_writers.h"
#include "reports/html_escape.h"
#include "reports/html_parts.h"
#include "reports/page_scripts.h"
#include "reports/plain_text.h"
#include "reports/repro_line.h"

namespace flashgate::reports {
namespace {

using matrix::ChangeClass;
using matrix::DifferenceLine;

/// More classes of one severity than this are counted; gate.json has them.
constexpr std::size_t kMostClasses = 200;

std::string head(const GateReport& report)
{
  return fmt::format(
      "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<meta name=\"viewport\" "
      "content=\"width=device-width, initial-scale=1\">\n<link rel=\"icon\" href=\"data:,\">\n<title>{} flashgate "
      "gate</title>\n<style>\n{}</style>\n</head>\n<body>\n<main>\n",
      report.fails() ? "✗" : "✓", page_style());
}

/// The verdict, and below it what was compared.
std::string banner(const GateReport& report)
{
  const std::string text = gate_headline(report);
  const std::size_t end = text.find("; ");
  return fmt::format("<section class=\"banner {}\">\n<h1>{} {}</h1>\n<p>{}</p>\n</section>\n",
                     report.fails() ? "bad" : "good", report.fails() ? "✗" : "✓",
                     html_escape(text.substr(0, end), 1500),
                     end == std::string::npos ? "" : html_escape(text.substr(end + 2), 1500));
}

std::string side_row(std::string_view role, const GateSide& side)
{
  return fmt::format(
      "<tr><th scope=\"row\">{}</th><td>{}</td><td>{}</td><td>{}</td><td>{}</td><td class=\"number\">{}</td></tr>\n",
      role, html_escape(side.subject, 200), html_escape(side.commit, 200), html_escape(side.suite, 80),
      html_escape(side.run, 80), group_digits(side.cells));
}

std::string sides_table(const GateReport& report)
{
  std::string text =
      "<div class=\"scroll\"><table>\n<thead><tr><th scope=\"col\">side</th><th scope=\"col\">subject</th><th "
      "scope=\"col\">commit</th><th scope=\"col\">suite</th><th scope=\"col\">run</th><th scope=\"col\" "
      "class=\"number\">cells</th></tr></thead>\n<tbody>\n";
  text += side_row("base", report.base) + side_row("head", report.head);
  if (report.dev) text += side_row("dev", *report.dev);
  return text + "</tbody></table></div>\n";
}

std::string tiles(const GateReport& report)
{
  std::string text = "<dl class=\"tiles\">\n";
  for (int i = 0; i < matrix::kChangeKindCount; ++i) {
    const auto kind = static_cast<matrix::ChangeKind>(i);
    const std::int64_t cells = report.comparison.cells[static_cast<std::size_t>(i)];
    const bool bad = matrix::fails_the_gate(kind) && cells > 0;
    const bool good = cells > 0 && (kind == matrix::ChangeKind::fix || kind == matrix::ChangeKind::support_gained);
    std::string name(change_kind_name(kind));
    for (char& c : name)
      if (c == '_') c = ' ';
    text += fmt::format("<div><dt>{}{}</dt><dd class=\"{}\">{}</dd></div>\n",
                        bad    ? "✗ "
                        : good ? "✓ "
                               : "",
                        name,
                        bad    ? "bad"
                        : good ? "good"
                               : "neutral",
                        group_digits(cells));
  }
  return text + "</dl>\n";
}

std::string coverage_part(const GateReport& report)
{
  if (!report.coverage) return {};
  std::string text = fmt::format("<h2>Coverage of the patch</h2>\n<p class=\"{}\">{} {}</p>\n",
                                 report.coverage_fails() ? "bad" : "good", report.coverage_fails() ? "✗" : "✓",
                                 html_escape(coverage_text(report)));
  const std::string lines = uncovered_text(*report.coverage);
  return lines.empty() ? text : text + "<p>No cell ran: <code>" + html_escape(lines, 4000) + "</code></p>\n";
}

/// Base at the left, head at the right; a step that only one side has leaves the other empty.
std::string routes_table(const ChangeClass& change)
{
  std::string text =
      "<details class=\"routes\"><summary>Routes of the example, side by side</summary>\n<div "
      "class=\"scroll\"><table>\n<thead><tr><th scope=\"col\">phase</th><th scope=\"col\">base</th><th "
      "scope=\"col\">head</th></tr></thead>\n<tbody>\n";
  for (const DifferenceLine& line : change.difference) {
    const std::string step =
        fmt::format("{} → <b>{}</b>", html_escape(line.decision.text, 300), html_escape(line.decision.outcome, 100));
    const bool both = line.sign == DifferenceLine::Sign::both, base = line.sign == DifferenceLine::Sign::base;
    text += fmt::format("<tr{}><td class=\"soft\">{}</td><td>{}</td><td>{}</td></tr>\n",
                        both ? "" : " class=\"differs\"", html_escape(phase_name(line.decision.phase).text(), 40),
                        both || base ? step : "", base ? "" : step);
  }
  return text + fmt::format(
                    "<tr><th scope=\"row\">runs</th><td>{}</td><td>{}</td></tr>\n</tbody></table></div>\n"
                    "</details>\n",
                    html_escape(change.base_route, 400), html_escape(change.head_route, 400));
}

std::string class_part(const ChangeClass& change)
{
  const bool bad = change.fails();
  std::string text = fmt::format(
      "<div class=\"class{}\">\n<p><span class=\"tag{}\">{}{}</span> <b>{}</b> {}</p>\n<p class=\"soft\">{}</p>\n",
      bad ? " bad" : "", bad ? " bad" : "", bad ? "✗ " : "", html_escape(class_name(change), 80),
      count_of(change.cells, "cell"), html_escape(change.detail), where_phrase(change.condition));
  if (!change.partings.empty())
    if (const std::string deciding = deciding_text(change.partings.front().parting); !deciding.empty())
      text += "<p class=\"soft\">decided by <code>" + html_escape(deciding, 1000) + "</code></p>\n";
  text += "<code class=\"repro\">" +
          html_escape(repro_line(change.example_cell, shown_text(change.head_subject, 1000)), 8000) + "</code>\n";
  return text + (change.difference.empty() ? "" : routes_table(change)) + "</div>\n";
}

std::string classes_part(const GateReport& report, Severity severity, std::string_view heading)
{
  std::string text;
  std::size_t count = 0;
  for (const ChangeClass& change : report.comparison.classes)
    if (severity_of(change) == severity && count++ < kMostClasses) text += class_part(change);
  if (count == 0) return {};
  if (count > kMostClasses)
    text += fmt::format("<p class=\"soft\">and {} more.</p>\n",
                        count_of(static_cast<std::int64_t>(count - kMostClasses), "class"));
  return fmt::format("<h2>{}</h2>\n{}", heading, text);
}

/// Pictures that Graphviz drew, without what an SVG file begins with.
std::string graphs_part(const GateReport& report)
{
  if (report.graphs.empty()) return {};
  std::string text = "<section class=\"graphs\">\n<h2>What differs between the dispatchers</h2>\n";
  for (const GateGraph& graph : report.graphs) {
    const std::size_t begin = graph.svg.find("<svg");
    text += fmt::format("<details><summary>{}</summary>\n", html_escape(graph.title, 400));
    text += begin == std::string::npos ? "<p>Not drawn.</p>"
                                       : "<div class=\"drawing\">" + graph.svg.substr(begin) + "</div>";
    text += "</details>\n";
  }
  return text + "</section>\n";
}

}  // namespace

std::string gate_html(const GateReport& report)
{
  return head(report) + banner(report) + tiles(report) + classes_part(report, Severity::error, "Worse than the base") +
         classes_part(report, Severity::warning, "Changed") + coverage_part(report) + graphs_part(report) +
         classes_part(report, Severity::note, "Fixed, gained, or failing as before") + "<h2>Sides</h2>\n" +
         sides_table(report) + "</main>\n</body>\n</html>\n";
}

}  // namespace flashgate::reports
