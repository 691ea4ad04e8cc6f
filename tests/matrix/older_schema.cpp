#include "older_schema.h"

#include <SQLiteCpp/SQLiteCpp.h>

namespace flashgate::tests {
namespace {

/// What made schema `version` of the one before it, undone.
struct StepBack
{
  int version;
  const char* sql;
};

const StepBack kSteps[] = {
    {6, "DROP TABLE run_part"},
    {5,
     "DROP TABLE execution_finding; CREATE TABLE older (id INTEGER PRIMARY KEY, run INTEGER NOT NULL REFERENCES "
     "run(id), "
     "subject INTEGER NOT NULL REFERENCES subject(id), cell INTEGER NOT NULL REFERENCES cell(id), "
     "check_id TEXT NOT NULL, kind TEXT NOT NULL, detail TEXT);"
     "INSERT INTO older SELECT id, run, subject, cell, check_id, kind, detail FROM incident WHERE cell IS NOT NULL;"
     "DROP TABLE incident; ALTER TABLE older RENAME TO incident"},
    {4, "DROP TABLE run_subject"},
    {3,
     "ALTER TABLE execution DROP COLUMN runs; ALTER TABLE metric DROP COLUMN promises_bits;"
     "ALTER TABLE metric DROP COLUMN results"},
    {2, "ALTER TABLE coverage_line DROP COLUMN example_cell"},
};

void drop_views(SQLite::Database& database)
{
  std::string drops;
  SQLite::Statement select(database, "SELECT name FROM sqlite_master WHERE type = 'view'");
  while (select.executeStep())
    drops += "DROP VIEW " + select.getColumn(0).getString() + ";";
  select.reset();
  database.exec(drops);
}

}  // namespace

void take_back(const std::string& database, int version)
{
  SQLite::Database file(database, SQLite::OPEN_READWRITE);
  drop_views(file);
  for (const StepBack& step : kSteps)
    if (step.version > version) file.exec(step.sql);
  file.exec("PRAGMA user_version = " + std::to_string(version));
}

}  // namespace flashgate::tests
