#include <fmt/format.h>

#include "reports/gate_writers.h"
#include "reports/plain_text.h"
#include "reports/verdict_style.h"

namespace flashgate::reports {
namespace {

std::string_view sign_of(Severity severity)
{
  switch (severity) {
    case Severity::error:
      return tone_sign(Tone::bad);
    case Severity::warning:
      return tone_sign(Tone::warning);
    case Severity::note:
      break;
  }
  return tone_sign(Tone::neutral);
}

std::string indented(const std::string& text)
{
  std::string result;
  bool at_start = true;
  for (const char c : text) {
    if (at_start) result += "    ";
    result += c;
    at_start = c == '\n';
  }
  return result;
}

}  // namespace

std::string gate_text(const GateReport& report)
{
  std::string text = gate_headline(report) + "\n";
  for (int i = 0; i < matrix::kChangeKindCount; ++i)
    if (const std::int64_t cells = report.comparison.cells[i]; cells > 0)
      text +=
          fmt::format("  {:<18} {}\n", change_kind_name(static_cast<matrix::ChangeKind>(i)), count_of(cells, "cell"));
  if (report.coverage) {
    text += "\n" + coverage_text(report) + "\n";
    if (const std::string lines = uncovered_text(*report.coverage); !lines.empty())
      text += "  not covered: " + lines + "\n";
  }
  std::int64_t notes = 0;
  for (const matrix::ChangeClass& change : report.comparison.classes) {
    const Severity severity = severity_of(change);
    if (severity == Severity::note) {
      ++notes;
      continue;
    }
    text += fmt::format("\n{} {}: {}", sign_of(severity), class_name(change), class_text(change));
    if (severity == Severity::error) text += indented(difference_text(change));
  }
  if (notes > 0)
    text += fmt::format("\n{} of fixes, gained support and failures as before\n", count_of(notes, "class"));
  return text;
}

const std::vector<GateFormat>& gate_formats()
{
  static const std::vector<GateFormat> all{{"text", "gate.txt", gate_text},
                                           {"markdown", "comment.md", gate_markdown},
                                           {"junit", "junit.xml", gate_junit},
                                           {"sarif", "results.sarif", gate_sarif},
                                           {"json", "gate.json", gate_json},
                                           {"html", "gate.html", gate_html},
                                           {"annotations", "annotations.txt", gate_annotations}};
  return all;
}

}  // namespace flashgate::reports
