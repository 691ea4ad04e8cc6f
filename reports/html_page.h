#pragma once

#include <iosfwd>
#include <string>
#include <vector>

#include "reports/dispatch_graph.h"
#include "reports/run_changes.h"
#include "reports/summary.h"
#include "reports/support.h"
#include "reports/trends.h"

namespace flashgate::reports {

/// A subject's dispatch graph, among the files beside the page and in it.
struct GraphFile
{
  std::string subject;
  std::string path;  ///< the part for that value of axis path, if the whole is too large to be read; else empty
  std::string stem;  ///< graphs/STEM.dot, and graphs/STEM.svg if it was drawn
  bool drawn = false;
  std::string reason;  ///< why it was not drawn, or not by dot
  DispatchGraph graph;
  std::string svg;  ///< the picture
};

/// The files beside the page that it links to.
struct PageFiles
{
  std::vector<GraphFile> graphs;
  bool database = false;  ///< results.db lies beside the page
};

/// How much of a file of a subject's dispatch code ran.
struct FileCoverage
{
  std::string subject, file;
  std::int64_t lines = 0, covered = 0;
  std::string missing;  ///< lines that no cell ran: "12-14, 20"
};

/// Everything that the page says.
struct PageContent
{
  RunSummary summary;
  PageFiles files;
  RunChanges changes;
  std::vector<SubjectSupport> support;
  std::vector<FileCoverage> coverage;
  std::vector<RunFigures> trend;  ///< oldest first
  std::string matrix_json;        ///< matrix_json()
};

/// Writes index.html: one page that loads nothing. Its sections are plain HTML; scripts add the matrix of cells. The
/// same content gives the same bytes: all times come from the store. Every text goes through html_escape or JsonText.
void write_html(std::ostream& out, const PageContent& page);

}  // namespace flashgate::reports
