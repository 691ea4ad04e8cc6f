#pragma once

#include <iosfwd>
#include <string>

#include "reports/html_page.h"

namespace flashgate::reports {

// The sections of index.html, one function each, in the order of the page. A section without content writes nothing,
// unless it says so below.

/// The verdict and the counts.
void write_banner(std::ostream& out, const RunSummary& summary);

/// What differs from the last run of the same suite; says so if there is none.
void write_changes(std::ostream& out, const RunChanges& changes);

/// The table subject x check. Entries with failures link to their classes.
void write_check_table(std::ostream& out, const RunSummary& summary);

/// "where <code>condition</code>", or "everywhere": Condition::text() as the page says it.
std::string where_phrase(const std::string& condition);

/// The place where scripts put the matrix of cells.
void write_matrix(std::ostream& out);

/// The failing classes, by subject and check. Says so if there are none.
void write_failing_classes(std::ostream& out, const RunSummary& summary);

/// What was executed, on which evidence, and what that is worth. Says so if nothing was.
void write_evidence(std::ostream& out, const RunSummary& summary);

/// Per subject: what is served, refused and broken, by head dim and device.
void write_support(std::ostream& out, const std::vector<SubjectSupport>& support);

/// Coverage of the subjects' dispatch code. Says so if no subject is a checkout.
void write_coverage(std::ostream& out, const std::vector<FileCoverage>& coverage);

/// How figures went from run to run; says so if there is one run only.
void write_trends(std::ostream& out, const std::vector<RunFigures>& trend);

void write_expectation_problems(std::ostream& out, const RunSummary& summary);
void write_excluded(std::ostream& out, const RunSummary& summary);
void write_graphs(std::ostream& out, const PageFiles& files);
void write_files(std::ostream& out, const PageFiles& files);
void write_provenance(std::ostream& out, const RunSummary& summary);

/// The graphs as JSON for page/graphs.js.
std::string graph_json(const std::vector<GraphFile>& graphs);

/// The page's data, packed, for page/data.js.
void write_page_data(std::ostream& out, const PageContent& page);

/// Id of the place where the classes of one check of one subject begin. Ids go by index, since names may hold anything.
std::string class_anchor(std::size_t subject, std::size_t check);

}  // namespace flashgate::reports
