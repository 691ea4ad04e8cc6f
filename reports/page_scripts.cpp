#include "reports/page_scripts.h"

#include <ostream>

#include <fmt/format.h>

#include "reports/packed_text.h"

namespace flashgate::reports {

// Files embedded by the build.
extern const std::string_view kPageCss;
extern const std::string_view kPageLicences;
extern const std::string_view kJqueryJs;
extern const std::string_view kDataTablesJs;
extern const std::string_view kScrollerJs;
extern const std::string_view kPageCellExecutionsJs;
extern const std::string_view kPageCellPanelJs;
extern const std::string_view kPageCsvJs;
extern const std::string_view kPageDataJs;
extern const std::string_view kPageDimensionsJs;
extern const std::string_view kPageDomJs;
extern const std::string_view kPageGraphsJs;
extern const std::string_view kPageHeatmapJs;
extern const std::string_view kPageHeatmapDrawingJs;
extern const std::string_view kPageMainJs;
extern const std::string_view kPageSelectionJs;
extern const std::string_view kPageTableJs;
extern const std::string_view kPageViewStateJs;

namespace {

struct Module
{
  std::string_view name;
  const std::string_view* text;
};

/// page/NAME.js is imported as "page/NAME.js".
const Module kModules[] = {
    {"cell_executions", &kPageCellExecutionsJs},
    {"cell_panel", &kPageCellPanelJs},
    {"csv", &kPageCsvJs},
    {"data", &kPageDataJs},
    {"dimensions", &kPageDimensionsJs},
    {"dom", &kPageDomJs},
    {"graphs", &kPageGraphsJs},
    {"heatmap", &kPageHeatmapJs},
    {"heatmap_drawing", &kPageHeatmapDrawingJs},
    {"main", &kPageMainJs},
    {"selection", &kPageSelectionJs},
    {"table", &kPageTableJs},
    {"view_state", &kPageViewStateJs},
};

/// A library as a classic script. "</script" in one of its texts must not end the element.
void write_library(std::ostream& out, std::string_view text)
{
  constexpr std::string_view kEnd = "</script";
  out << "<script>";
  for (std::size_t at; (at = text.find(kEnd)) != std::string_view::npos; text.remove_prefix(at + kEnd.size()))
    out << text.substr(0, at) << "<\\/script";
  out << text << "</script>\n";
}

}  // namespace

std::string_view page_style() { return kPageCss; }

void write_page_scripts(std::ostream& out)
{
  out << "<!--\n" << kPageLicences << "-->\n";
  for (const std::string_view* library : {&kJqueryJs, &kDataTablesJs, &kScrollerJs})
    write_library(out, *library);
  out << "<script type=\"importmap\">{\"imports\":{";
  for (const Module& module : kModules)
    out << fmt::format("{}\n\"page/{}.js\":\"data:text/javascript;base64,{}\"", &module == kModules ? "" : ",",
                       module.name, base64(*module.text));
  out << "}}</script>\n<script type=\"module\">import \"page/main.js\";</script>\n";
}

}  // namespace flashgate::reports
