#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "matrix/change_class.h"
#include "matrix/patch_coverage.h"

namespace flashgate::reports {

/// One side of a gate, for people: what it was, and where its results come from.
struct GateSide
{
  std::string name;     ///< as the user gave it: "model:fleet-c", "results.db#dispatch-1", "last"
  std::string subject;  ///< the subject or subjects behind it
  std::string commit;   ///< of the subject's code, with its first line; of flashgate itself for a model
  std::string run;      ///< "dispatch-1"
  std::string suite;
  std::int64_t cells = 0;
};

/// A picture of what differs between base and head.
struct GateGraph
{
  std::string title;
  std::string svg;  ///< as Graphviz wrote it; empty: not drawn
};

/// Everything the gate's reports say: plain data, made once and written in many formats.
struct GateReport
{
  GateSide base, head;
  std::optional<GateSide> dev;
  matrix::SideComparison comparison;  ///< of base with head, and the parity classes if there is a dev
  std::optional<matrix::PatchCoverage> coverage;
  std::vector<GateGraph> graphs;         ///< per pair of subjects
  std::optional<double> least_coverage;  ///< per cent; what --min-patch-coverage asks for

  bool coverage_fails() const;
  bool fails() const;
};

enum class Severity : std::uint8_t { error, warning, note };

/// What fails the gate is an error, other routes and figures are warnings, the rest are notes.
Severity severity_of(const matrix::ChangeClass& change);
std::string_view severity_name(Severity severity);

/// "3 cells regressed", "1 cell lost support": a count of cells of a kind, in words.
std::string kind_phrase(matrix::ChangeKind kind, std::int64_t cells);

/// The first line of every report: the verdict, what was compared with which base, of which commit, suite and size.
std::string gate_headline(const GateReport& report);

/// "regression I4", "route_changed": what a class is called.
std::string class_name(const matrix::ChangeClass& change);

/// "430 cells where flag_version=4 ...", with the share that is expected.
std::string class_extent(const matrix::ChangeClass& change);

/// The deciding condition in one line: where it stands, what head asked and got, and base, as it is called, in its
/// place. Empty if there are no decisions to compare.
std::string deciding_text(const matrix::Parting& parting, std::string_view base = "base");

/// A class as a paragraph of plain text: extent, finding, routes, deciding condition, repro line.
std::string class_text(const matrix::ChangeClass& change);

/// The difference of the example's decisions, a line a step, "- " only base, "+ " only head; steps far from any
/// difference are left out.
std::string difference_text(const matrix::ChangeClass& change);

/// "patch coverage 54.5% (6 of 11 changed lines that can run); at least 90% is asked for". Empty without coverage.
std::string coverage_text(const GateReport& report);

/// The lines that no cell ran, "a.py:69,75,79; b.py:4", at most `most` of them; empty if there are none.
std::string uncovered_text(const matrix::PatchCoverage& coverage, std::size_t most = 100);

}  // namespace flashgate::reports
