#include <ostream>

#include "reports/html_parts.h"
#include "reports/packed_text.h"

namespace flashgate::reports {

void write_matrix(std::ostream& out)
{
  out << "<section id=\"matrix\">\n<h2>Matrix</h2>\n<p class=\"soft\">A row is one subject on one cell. Choose what "
         "goes "
         "down and across, click an entry to filter by it, click a row to see everything about it. The address "
         "keeps what you see.</p>\n<ul class=\"legend\"><li><b class=\"good\">✓</b>pass</li><li><b "
         "class=\"neutral\">–</b>not supported</li><li><b class=\"warning\">!</b>warning</li><li><b "
         "class=\"expected\">×</b>excused failure: expected, or a flake</li><li><b "
         "class=\"bad\">✗</b>failure</li></ul>\n"
         "<div id=\"matrix-view\"><p>The matrix needs scripts; <a href=\"#files\">failures.csv and results.db</a> have "
         "the same.</p></div>\n</section>\n"
         "<aside id=\"cell-panel\" aria-label=\"cell\" tabindex=\"-1\" hidden></aside>\n";
}

void write_page_data(std::ostream& out, const PageContent& page)
{
  out << "<script type=\"application/octet-stream\" id=\"matrix-data\">" << packed_text(page.matrix_json)
      << "</script>\n<script type=\"application/octet-stream\" id=\"graph-data\">"
      << packed_text(graph_json(page.files.graphs)) << "</script>\n";
}

}  // namespace flashgate::reports
