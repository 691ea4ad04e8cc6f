#include <fmt/format.h>

#include "matrix/store_internal.h"

namespace flashgate::matrix {
namespace {

/// Copies the rows of one part, which is attached as `part`, into the merged run. Ids differ between databases: temp
/// tables say which is which.
class PartCopy
{
 public:
  PartCopy(SQLite::Database& database, std::int64_t from, std::int64_t to) : database_(database), from_(from), to_(to)
  {
  }

  void copy()
  {
    map_names("subject", "SELECT id FROM part.subject");
    map_names("cell", "SELECT cell FROM part.plan WHERE run = {0} UNION SELECT cell FROM part.verdict WHERE run = {0}");
    copy_rows("run_subject", "ON CONFLICT DO NOTHING");
    note_new_executions();
    copy_rows("execution", "ON CONFLICT DO NOTHING");
    map_executions();
    for (const char* table : {"metric", "execution_finding"})
      copy_of_new_executions(table);
    exec(
        "INSERT INTO main.trace_step SELECT * FROM part.trace_step WHERE trace IN "
        "(SELECT trace FROM part.plan WHERE run = {0}) ON CONFLICT DO NOTHING");
    for (const char* table : {"plan", "cell_execution", "verdict"})
      copy_rows(table, "");
    copy_rows("incident", "AND (t.execution IS NULL OR t.execution IN (SELECT old FROM temp.new_execution))");
    copy_rows("excluded", "ON CONFLICT DO NOTHING");
    copy_rows("coverage_line",
              "ON CONFLICT DO UPDATE SET hits = hits + excluded.hits, "
              "example_cell = coalesce(example_cell, excluded.example_cell)");
    copy_rows("expectation_use",
              "ON CONFLICT DO UPDATE SET matched = matched + excluded.matched, failing = failing + excluded.failing, "
              "status = CASE WHEN 'expired' IN (status, excluded.status) THEN 'expired' "
              "WHEN 'unexpected' IN (status, excluded.status) THEN 'unexpected' "
              "WHEN 'used' IN (status, excluded.status) THEN 'used' ELSE status END");
    copy_origin();
  }

 private:
  /// Which part it is, and what its own database says of the run.
  void copy_origin()
  {
    exec(
        "INSERT INTO main.run_part SELECT {1}, p.shard, p.whole_digest, p.selected, coalesce(p.options, r.options), "
        "coalesce(p.machine, r.machine), coalesce(p.started, r.started), coalesce(p.finished, r.finished), "
        "coalesce(p.exit_code, r.exit_code) FROM part.run_part AS p JOIN part.run AS r ON r.id = p.run "
        "WHERE p.run = {0}");
  }

  void exec(const char* sql, const std::string& more = {})
  {
    database_.exec(fmt::format(fmt::runtime(sql), from_, to_, more));
  }

  /// Adds what the output does not have yet of subjects or cells, and notes the ids.
  void map_names(const std::string& table, const char* wanted)
  {
    const std::string ids = fmt::format(fmt::runtime(wanted), from_);
    database_.exec(
        fmt::format("INSERT INTO main.{0} ({1}) SELECT {1} FROM part.{0} WHERE id IN ({2}) ORDER BY id "
                    "ON CONFLICT DO NOTHING",
                    table, columns(table), ids));
    database_.exec(
        fmt::format("DROP TABLE IF EXISTS temp.{0}_map; CREATE TEMP TABLE {0}_map AS SELECT p.id AS old, "
                    "m.id AS new FROM part.{0} AS p JOIN main.{0} AS m ON m.name = p.name WHERE p.id IN "
                    "({1}); CREATE UNIQUE INDEX temp.{0}_map_old ON {0}_map (old)",
                    table, ids));
  }

  /// An execution that another part ran too is there already, with all that belongs to it.
  void note_new_executions()
  {
    exec(
        "DROP TABLE IF EXISTS temp.new_execution; CREATE TEMP TABLE new_execution AS SELECT id AS old "
        "FROM part.execution WHERE run = {0} AND digest NOT IN (SELECT digest FROM main.execution WHERE run = {1})");
  }

  void map_executions()
  {
    exec(
        "DROP TABLE IF EXISTS temp.execution_map; "
        "CREATE TEMP TABLE execution_map AS SELECT p.id AS old, m.id AS new FROM part.execution AS p "
        "JOIN main.execution AS m ON m.digest = p.digest AND m.run = {1} WHERE p.run = {0}; "
        "CREATE UNIQUE INDEX temp.execution_map_old ON execution_map (old)");
  }

  void copy_of_new_executions(const std::string& table)
  {
    database_.exec(fmt::format(
        "INSERT INTO main.{0} ({1}) SELECT {2} FROM part.{0} AS t JOIN temp.new_execution AS n ON n.old = t.execution",
        table, columns(table), list(table)));
  }

  std::string columns(const std::string& table)
  {
    std::string names;
    for (const TableColumn& column : columns_of(database_, "main", table))
      if (column.name != "id") names += (names.empty() ? "" : ", ") + column.name;
    return names;
  }

  /// The columns of a table `t` of the part, as they are to stand in the output.
  std::string list(const std::string& table)
  {
    std::string values;
    for (const TableColumn& column : columns_of(database_, "main", table))
      if (column.name != "id") values += (values.empty() ? "" : ", ") + value_of(column.name);
    return values;
  }

  std::string value_of(const std::string& column) const
  {
    if (column == "run") return std::to_string(to_);
    const std::string table = column == "example_cell" ? "cell" : column;
    if (table != "cell" && table != "subject" && table != "execution") return "t." + column;
    return fmt::format("(SELECT new FROM temp.{}_map WHERE old = t.{})", table, column);
  }

  /// `more`: a further condition, or what is to happen to rows that are there already.
  void copy_rows(const std::string& table, const char* more)
  {
    database_.exec(fmt::format("INSERT INTO main.{0} ({1}) SELECT {2} FROM part.{0} AS t WHERE t.run = {3} {4}", table,
                               columns(table), list(table), from_, more));
  }

  SQLite::Database& database_;
  std::int64_t from_, to_;
};

}  // namespace

void copy_part(SQLite::Database& database, std::int64_t from, std::int64_t to) { PartCopy(database, from, to).copy(); }

}  // namespace flashgate::matrix
