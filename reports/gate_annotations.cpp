#include <fmt/format.h>

#include "reports/gate_writers.h"
#include "reports/plain_text.h"
#include "reports/repro_line.h"

namespace flashgate::reports {
namespace {

constexpr std::size_t kLongestMessage = 3000;

/// The message of a workflow command: per cent signs and line ends are escaped.
std::string escape_message(std::string_view text)
{
  std::string escaped;
  for (const char c : shown_text(text, kLongestMessage, true)) {
    if (c == '%')
      escaped += "%25";
    else if (c == '\n')
      escaped += "%0A";
    else
      escaped += c;
  }
  return escaped;
}

/// A property of a workflow command: also what separates properties.
std::string escape_property(std::string_view text)
{
  std::string escaped;
  for (const char c : escape_message(shown_text(text, 400))) {
    if (c == ':')
      escaped += "%3A";
    else if (c == ',')
      escaped += "%2C";
    else
      escaped += c;
  }
  return escaped;
}

std::string_view command_of(Severity severity)
{
  switch (severity) {
    case Severity::error:
      return "error";
    case Severity::warning:
      return "warning";
    case Severity::note:
      break;
  }
  return "notice";
}

std::string command(Severity severity, const matrix::SourcePlace& place, std::string_view title,
                    std::string_view message)
{
  std::string properties;
  if (place) properties = fmt::format("file={},line={},", escape_property(place.file), place.line);
  return fmt::format("::{} {}title={}::{}\n", command_of(severity), properties, escape_property(title),
                     escape_message(message));
}

std::string class_command(const matrix::ChangeClass& change)
{
  std::string message = class_extent(change) + "\n" + shown_text(change.detail, 600) + "\n";
  matrix::SourcePlace place;
  if (!change.partings.empty()) {
    place = change.partings.front().parting.place();
    message += deciding_text(change.partings.front().parting) + "\n";
  }
  message += repro_line(change.example_cell, shown_text(change.head_subject, 1000));
  return command(severity_of(change), place, "flashgate: " + class_name(change), message);
}

/// At the first line that no cell ran; the message names all.
std::string coverage_command(const GateReport& report)
{
  if (!report.coverage) return {};
  for (const matrix::PatchLine& line : report.coverage->lines)
    if (line.hits == 0)
      return command(report.coverage_fails() ? Severity::error : Severity::note, {line.file, line.line},
                     "flashgate: patch coverage",
                     coverage_text(report) + "\nnot covered: " + uncovered_text(*report.coverage));
  return {};
}

}  // namespace

std::string gate_annotations(const GateReport& report)
{
  std::string text;
  for (const matrix::ChangeClass& change : report.comparison.classes)
    text += class_command(change);
  return text + coverage_command(report);
}

}  // namespace flashgate::reports
