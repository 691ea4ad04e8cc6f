#pragma once

#include <iosfwd>
#include <string_view>

namespace flashgate::reports {

/// The style of all pages, page/page.css.
std::string_view page_style();

/// Writes the scripts of the page: jQuery, DataTables and Scroller with their licences, then our modules (page/*.js),
/// by an import map of data: addresses, so that they import each other from a file that loads nothing.
void write_page_scripts(std::ostream& out);

}  // namespace flashgate::reports
