#pragma once

#include <array>
#include <concepts>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include <SQLiteCpp/SQLiteCpp.h>
#include <SQLiteCpp/VariadicBind.h>

#include "matrix/store.h"

// What the store's own files share. Nothing else includes this.

namespace flashgate::matrix {

/// How long a connection waits for another process's write before it gives up.
inline constexpr int kBusyTimeoutMs = 20'000;

/// Throws the Error for what SQLite reports about the database at `path`. guarded() is its only caller.
[[noreturn]] void throw_store_error(const std::string& path, const SQLite::Exception& exception);

/// Calls `function`; what SQLite throws comes out as an Error that names `path`.
template <typename Function>
decltype(auto) guarded(const std::string& path, Function&& function)
{
  try {
    return std::forward<Function>(function)();
  } catch (const SQLite::Exception& exception) {
    throw_store_error(path, exception);
  }
}

/// The id under which a trace is stored: a hash of its steps' texts, so it is the same in every process.
std::int64_t trace_id(const std::vector<sim::TraceStep>& steps);

/// What a name in the database means; Error for one that this flashgate does not know.
Verdict stored_verdict(const std::string& name);
Outcome stored_outcome(const std::string& name);
sim::Phase stored_phase(const std::string& name);

/// RouteRow::end of a plan with these columns.
std::string end_of_route(int forward, int backward, const std::string& error_phase, const std::string& error_kind);

struct TableColumn
{
  std::string name;
  bool needs_value = false;  ///< a row can't be written without it
};

/// The columns of a table of an open database, in order; none if there is no such table. `schema`: "main", or the name
/// under which another file is attached.
std::vector<TableColumn> columns_of(SQLite::Database& database, const std::string& schema, const std::string& table);

/// The columns of table execution that read_execution() reads, in its order, as a list for SELECT.
inline constexpr std::string_view kExecutionColumns =
    "id, digest, name, backend, kernel, evidence, verdict, check_id, detail, seconds";

/// A row that starts with kExecutionColumns, without its cells.
ExecutionRow read_execution(SQLite::Statement& row);

/// Copies what the part attached as `part` says of its run `from` into run `to`. The output gets new ids.
void copy_part(SQLite::Database& database, std::int64_t from, std::int64_t to);

/// NULL in the store for a number that means "nothing" when it is zero.
inline std::optional<std::int64_t> unless_zero(std::int64_t number)
{
  return number == 0 ? std::nullopt : std::optional(number);
}

/// A conflict clause: a row that is there already stays as it is. Unlike INSERT OR IGNORE it hides no other error.
inline constexpr std::string_view kKeepOld = "ON CONFLICT DO NOTHING";

/// An INSERT, prepared once. It owns the texts it binds, so that a row costs no allocation once they have grown.
class Insert
{
 public:
  /// `conflict` is a conflict clause, or empty.
  Insert(SQLite::Database& database, std::string_view table, std::initializer_list<std::string_view> columns,
         std::string_view conflict = "");

  /// Inserts one row: a value per column. An empty text and an empty optional become NULL.
  template <typename... Values>
  void operator()(const Values&... values)
  {
    statement_.tryReset();
    int column = 0;
    (bind(column++, values), ...);
    statement_.exec();
  }

 private:
  void bind(int column, std::int64_t number) { statement_.bind(column + 1, number); }
  void bind(int column, std::optional<std::int64_t> number);
  void bind(int column, std::string_view text);
  void bind(int column, std::same_as<double> auto number) { statement_.bind(column + 1, number); }

  SQLite::Statement statement_;
  std::array<std::string, 32> texts_;
};

/// What a plan belongs to.
struct PlanKey
{
  std::int64_t run, subject, cell;
};

/// The prepared statements of a Store that may write.
struct Store::Statements
{
  explicit Statements(SQLite::Database& database);

  /// The id of a trace, whose steps are written if this Store has not met them yet; empty for no steps.
  std::optional<std::int64_t> store_trace(const std::vector<sim::TraceStep>& steps);
  std::int64_t intern_cell(SQLite::Database& database, const Cell& cell);
  void store_rank(const PlanKey& key, int rank, const sim::RankPlan& plan, std::uint32_t passed_checks,
                  Verdict verdict);

  SQLite::Statement find_cell;
  SQLite::Statement insert_cell;
  Insert insert_plan;
  Insert insert_trace_step;
  Insert insert_verdict;
  Insert insert_incident;
  Insert insert_expectation_use;
  Insert insert_excluded;
  // Prepared by store_execution.cpp when the first execution comes: many runs have none.
  std::optional<SQLite::Statement> find_execution;
  std::optional<Insert> insert_execution;
  std::optional<Insert> insert_metric;
  std::optional<Insert> insert_finding;
  std::optional<Insert> insert_cell_execution;

  bool in_transaction = false;
  /// Ids of the traces that are in the database, by a hash of their symbols, which is cheaper than one of their texts.
  std::unordered_map<std::uint64_t, std::int64_t> known_traces;
};

/// Calls `function(statements)`. An Error ends an open transaction and undoes it.
template <typename Function>
decltype(auto) Store::writing(Function&& function)
{
  Statements& statements = writable();
  try {
    return guarded(path_, [&]() -> decltype(auto) { return std::forward<Function>(function)(statements); });
  } catch (...) {
    roll_back();
    throw;
  }
}

}  // namespace flashgate::matrix
