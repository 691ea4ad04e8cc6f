#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include <SQLiteCpp/SQLiteCpp.h>

#include "matrix/store.h"

// What the tests of the store share. They look past the store with SQLiteCpp, to see what a person's tool would see.

namespace flashgate::matrix {

/// A folder of one test, removed at its end.
class TempFolder
{
 public:
  TempFolder();
  ~TempFolder();
  TempFolder(const TempFolder&) = delete;
  TempFolder& operator=(const TempFolder&) = delete;

  std::filesystem::path path() const { return path_; }
  std::string file(const std::string& name) const { return (path_ / name).string(); }

 private:
  std::filesystem::path path_;
};

/// The rows that `sql` gives, each as "a|b|c"; NULL is "-".
std::vector<std::string> query(const std::string& database, const std::string& sql);

/// The whole content of a file, byte for byte.
std::string file_bytes(const std::string& path);

/// The line of the Error that `function` throws; "" if it throws none.
template <typename Function>
std::string error_of(Function function)
{
  try {
    function();
  } catch (const std::exception& error) {
    return error.what();
  }
  return "";
}

/// A plan of one rank that fills every column: v3 forward and second forward, v2 backward, no error.
sim::CellPlan full_plan();

/// A plan of one rank with nothing but an error, and with `steps` steps in its trace.
sim::CellPlan failed_plan(int steps);

/// A run of `suite` as far as insert_run needs it.
RunRecord run_of(const std::string& suite);

/// Two runs of suite "default": every built-in model on a few telling cells, with real plans and verdicts. In the
/// second run model:fleet-d behaves like model:fleet-c, so that something changes. Executions, metrics and coverage are
/// made up.
void write_sample(const std::string& database);

}  // namespace flashgate::matrix
