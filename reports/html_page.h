#pragma once

#include <iosfwd>
#include <string>
#include <vector>

#include "reports/summary.h"

namespace flashgate::reports {

/// A subject's dispatch graph among the files beside the page.
struct GraphFile
{
  std::string subject;
  std::string stem;  ///< graphs/STEM.dot, and graphs/STEM.svg if it was drawn
  bool drawn = false;
  std::string reason;  ///< why it was not drawn, or not by dot
};

/// The files beside the page that it links to.
struct PageFiles
{
  std::vector<GraphFile> graphs;
  bool database = false;  ///< results.db lies beside the page
};

/// Writes index.html: one page that needs no script and loads nothing but the graphs beside it. The same summary and
/// files give the same bytes: all times come from the store. Every text goes through html_escape.
void write_html(std::ostream& out, const RunSummary& summary, const PageFiles& files);

}  // namespace flashgate::reports
