#include "reports/html_page.h"

#include <ostream>

#include "reports/html_escape.h"
#include "reports/html_parts.h"
#include "reports/html_style.h"

namespace flashgate::reports {
namespace {

std::string_view state_sign(RunState state)
{
  switch (state) {
    case RunState::ok:
      return "✓";
    case RunState::incomplete:
      return "!";
    default:
      return "✗";
  }
}

void write_head(std::ostream& out, const RunSummary& summary)
{
  out << "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
         "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
         "<link rel=\"icon\" href=\"data:,\">\n<title>"
      << state_sign(summary.state()) << " flashgate " << html_escape(summary.run.name, 80) << "</title>\n<style>"
      << html_style() << "</style>\n</head>\n";
}

void write_top(std::ostream& out, const RunSummary& summary, const PageFiles& files)
{
  out << "<header class=\"top\"><strong>" << state_sign(summary.state()) << " flashgate "
      << html_escape(summary.run.name, 80) << "</strong>\n<nav aria-label=\"On this page\">"
      << "<a href=\"#checks\">Checks</a> <a href=\"#classes\">Failing classes</a>";
  if (!summary.expectation_problems.empty()) out << " <a href=\"#expectations\">Expectations</a>";
  if (!summary.excluded.empty()) out << " <a href=\"#excluded\">Excluded</a>";
  if (!files.graphs.empty()) out << " <a href=\"#graphs\">Graphs</a>";
  out << " <a href=\"#files\">Files</a> <a href=\"#run\">Run</a></nav></header>\n";
}

}  // namespace

void write_html(std::ostream& out, const RunSummary& summary, const PageFiles& files)
{
  write_head(out, summary);
  out << "<body>\n";
  write_top(out, summary, files);
  out << "<main>\n";
  write_banner(out, summary);
  write_check_table(out, summary);
  write_failing_classes(out, summary);
  write_expectation_problems(out, summary);
  write_excluded(out, summary);
  write_graphs(out, files);
  write_files(out, files);
  write_provenance(out, summary);
  out << "</main>\n</body>\n</html>\n";
}

}  // namespace flashgate::reports
