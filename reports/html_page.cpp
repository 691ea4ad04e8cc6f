#include "reports/html_page.h"

#include <ostream>

#include "reports/html_escape.h"
#include "reports/html_parts.h"
#include "reports/page_scripts.h"

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
      << page_style() << "</style>\n</head>\n";
}

void write_top(std::ostream& out, const PageContent& page)
{
  const RunSummary& summary = page.summary;
  out << "<a class=\"skip\" href=\"#main\">Skip to the verdict</a>\n<header class=\"top\"><strong>"
      << state_sign(summary.state()) << " flashgate " << html_escape(summary.run.name, 80)
      << "</strong>\n<nav aria-label=\"On this page\"><a href=\"#changes\">Changes</a> <a href=\"#checks\">Checks</a> "
         "<a href=\"#matrix\">Matrix</a> <a href=\"#classes\">Failing classes</a> <a href=\"#evidence\">Evidence</a> "
         "<a href=\"#support\">Support</a> <a href=\"#trends\">Trends</a>";
  if (!summary.expectation_problems.empty()) out << " <a href=\"#expectations\">Expectations</a>";
  if (!page.files.graphs.empty()) out << " <a href=\"#graphs\">Graphs</a>";
  out << " <a href=\"#files\">Files</a> <a href=\"#run\">Run</a></nav></header>\n";
}

}  // namespace

void write_html(std::ostream& out, const PageContent& page)
{
  const RunSummary& summary = page.summary;
  write_head(out, summary);
  out << "<body>\n";
  write_top(out, page);
  out << "<main id=\"main\" tabindex=\"-1\">\n";
  write_banner(out, summary);
  write_changes(out, page.changes);
  write_check_table(out, summary);
  write_matrix(out);
  write_failing_classes(out, summary);
  write_expectation_problems(out, summary);
  write_evidence(out, summary);
  write_support(out, page.support);
  write_coverage(out, page.coverage);
  write_trends(out, page.trend);
  write_graphs(out, page.files);
  write_excluded(out, summary);
  write_files(out, page.files);
  write_provenance(out, summary);
  out << "</main>\n";
  write_page_data(out, page);
  write_page_scripts(out);
  out << "</body>\n</html>\n";
}

}  // namespace flashgate::reports
