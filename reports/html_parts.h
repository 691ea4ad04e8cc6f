#pragma once

#include <iosfwd>
#include <string>

#include "reports/html_page.h"

namespace flashgate::reports {

// The sections of index.html, one function each, in the order of the page. A section without content writes nothing,
// unless it says so below.

/// The verdict, the counts, and what the verdicts are about.
void write_banner(std::ostream& out, const RunSummary& summary);

/// The table subject x check. Entries with failures link to their classes.
void write_check_table(std::ostream& out, const RunSummary& summary);

/// The failing classes, by subject and check. Says so if there are none.
void write_failing_classes(std::ostream& out, const RunSummary& summary);

void write_expectation_problems(std::ostream& out, const RunSummary& summary);
void write_excluded(std::ostream& out, const RunSummary& summary);
void write_graphs(std::ostream& out, const PageFiles& files);
void write_files(std::ostream& out, const PageFiles& files);
void write_provenance(std::ostream& out, const RunSummary& summary);

/// Id of the place where the classes of one check of one subject begin. Ids go by index, since names may hold anything.
std::string class_anchor(std::size_t subject, std::size_t check);

}  // namespace flashgate::reports
