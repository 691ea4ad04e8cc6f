#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "matrix/cell.h"
#include "matrix/verdict.h"
#include "sim/dispatch/plan.h"

namespace flashgate::matrix {

/// A failing check of a cell.
struct CheckFailure
{
  std::string check_id;
  Verdict verdict = Verdict::fail;
  bool expected = false;  ///< its outcome is an excuse
  std::string detail;     ///< the finding
};

/// What one execution of a cell gave, as far as the store keeps it: verdict and every figure of every tensor.
struct ExecutionFigures
{
  std::string name;
  std::string figures;

  bool operator==(const ExecutionFigures&) const = default;
};

/// One cell as one side of a comparison has it.
struct CellResult
{
  std::string route;  ///< versions, operators, argument counts and the phase of the error, of every rank
  std::string end;    ///< the short form of rank 0's: "v3 / v3", "bwd ValueError"
  sim::Phase error_phase = sim::Phase::none;  ///< of the first rank that has an error
  std::string error;                          ///< that error, for people: "ValueError: ..."
  bool refused = false;                       ///< a kernel or an entry refused it: no fault of the dispatcher
  bool flip_refused = false;                  ///< flags changed between the forwards, and the second one said no: that
                                              ///< is as right as to agree (check I6), so nobody loses by it
  std::vector<CheckFailure> failures;
  std::vector<std::int64_t> traces;          ///< key in Side::traces, of every rank; 0: no trace
  std::vector<ExecutionFigures> executions;  ///< by name

  /// It runs to its end, and no check fails.
  bool served() const { return error_phase == sim::Phase::none && failures.empty(); }
  /// It is turned away.
  bool denied() const { return error_phase != sim::Phase::none && !flip_refused; }
};

/// One subject of one run.
struct Side
{
  std::string subject;
  std::string description;
  std::map<Cell, CellResult> cells;
  std::unordered_map<std::int64_t, std::vector<sim::TraceStep>> traces;
};

/// What became of a cell between base and head, worst first.
enum class ChangeKind : std::uint8_t {
  regression,         ///< a check fails that did not, fails worse, or the result is missing
  error_moved,        ///< refused or failed in forward before, fails in backward now
  support_lost,       ///< was served, is refused or raises now, and no check finds fault with it
  parity,             ///< the pick does not do as dev does
  results_changed,    ///< same route, but an execution's figures differ
  route_changed,      ///< other versions, arguments or error; no check changed its mind
  unchanged_failure,  ///< a check failed before, and fails
  fix,                ///< a check failed before, and does not now
  support_gained,     ///< was refused or raised, is served now
  unchanged
};
inline constexpr int kChangeKindCount = 10;

/// "regression", "error_moved", ...
std::string_view change_kind_name(ChangeKind kind);

/// The kinds that fail a gate.
bool fails_the_gate(ChangeKind kind);

/// One finding about a cell. A cell has one per check whose answer counts, or exactly one.
struct CellChange
{
  ChangeKind kind = ChangeKind::unchanged;
  std::string check_id;  ///< of a regression, an unchanged failure, a fix; may be empty
  Verdict verdict = Verdict::pass;
  bool expected = false;  ///< an expectation covers what is wrong now
  std::string detail;     ///< equal for cells that changed in the same way
};

/// Compares a cell's result at head with that at base. `head` is nullptr where head has no result. Never empty.
std::vector<CellChange> compare_cell(const CellResult& base, const CellResult* head);

/// One change of kind parity if the pick does not do exactly as dev does: the same checks fail in the same way, on the
/// same route, with the same figures where both executed. Else one that is unchanged.
CellChange compare_parity(const CellResult& dev, const CellResult* pick);

}  // namespace flashgate::matrix
