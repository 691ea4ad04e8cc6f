// Reads the sources and fails on an include that goes the wrong way: reference <- sim <- matrix <- reports <- app, with
// SQLite behind the store, CLI11 in one file, and the oracle free of all that it judges.
#include <filesystem>
#include <fstream>
#include <map>
#include <regex>
#include <set>
#include <string>
#include <vector>

#include <doctest/doctest.h>

namespace flashgate {
namespace {

namespace fs = std::filesystem;

/// The folders that each folder may include, itself apart.
const std::map<std::string, std::set<std::string>> kMayInclude{
    {"reference", {}},
    {"gpu", {"reference"}},
    {"sim", {"reference"}},
    {"matrix", {"reference", "sim"}},
    {"reports", {"reference", "sim", "matrix"}},
    {"app", {"reference", "sim", "matrix", "reports", "gpu"}},
};

/// Library headers that only the files matching a pattern may include.
const std::vector<std::pair<std::regex, std::regex>> kReserved{
    {std::regex("(SQLiteCpp/.*|sqlite3\\.h)"), std::regex("matrix/store.*")},
    {std::regex("CLI/.*"), std::regex("app/command_line\\.cpp")},
    {std::regex("toml\\+\\+/.*"), std::regex("matrix/toml_file\\.(h|cpp)")},
    {std::regex("(cuda|nv).*\\.h"), std::regex("gpu/.*")},
    {std::regex("pugixml.*"), std::regex("reports/junit_nodes\\.h")},
};

/// What sim may include of the oracle: plain data, and the merge of partial results. Attention itself comes in as a
/// callable, so that ranks run whatever kernel is under test.
const std::set<std::string> kSimMayInclude{"reference/attention.h", "reference/column_mask.h",    "reference/error.h",
                                           "reference/half.h",      "reference/lse_merge.h",      "reference/problem.h",
                                           "reference/tensor.h",    "reference/shown_character.h"};

/// What gpu may include of it: plain data. A kernel that shared a line of the oracle's logic would share its mistakes.
const std::set<std::string> kGpuMayInclude{"reference/column_mask.h", "reference/error.h", "reference/half.h",
                                           "reference/problem.h", "reference/tensor.h"};

struct Include
{
  std::string file;  ///< that includes, from the root of the tree
  std::string what;
  bool quoted;
};

std::vector<Include> includes_in(const fs::path& root, const std::string& folder)
{
  std::vector<Include> found;
  const std::regex pattern("^\\s*#include\\s*([<\"])([^>\"]+)[>\"]");
  if (!fs::exists(root / folder)) return found;
  for (const fs::directory_entry& entry : fs::recursive_directory_iterator(root / folder)) {
    const std::string extension = entry.path().extension().string();
    if (extension != ".h" && extension != ".cpp" && extension != ".cu" && extension != ".cuh") continue;
    std::ifstream in(entry.path());
    std::smatch match;
    for (std::string line; std::getline(in, line);)
      if (std::regex_search(line, match, pattern))
        found.push_back({fs::relative(entry.path(), root).string(), match[2], match[1] == "\""});
  }
  return found;
}

bool may_include(const std::string& folder, const std::string& what)
{
  const std::string target = what.substr(0, what.find('/'));
  if (folder == "sim" && target == "reference") return kSimMayInclude.contains(what);
  if (folder == "gpu" && target == "reference") return kGpuMayInclude.contains(what);
  return target == folder || kMayInclude.at(folder).contains(target);
}

bool is_reserved_from(const Include& include)
{
  for (const auto& [header, allowed] : kReserved)
    if (std::regex_match(include.what, header) && !std::regex_match(include.file, allowed)) return true;
  return false;
}

TEST_CASE("no include goes against the direction of the layers")
{
  int seen = 0;
  for (const auto& [folder, allowed] : kMayInclude)
    for (const Include& include : includes_in(FLASHGATE_SOURCE_DIR, folder)) {
      ++seen;
      CAPTURE(include.file);
      CAPTURE(include.what);
      if (include.quoted) CHECK(may_include(folder, include.what));
      CHECK_FALSE(is_reserved_from(include));
    }
  CHECK(seen > 300);
}

TEST_CASE("the rules can fail")
{
  CHECK_FALSE(may_include("reference", "sim/dispatch/plan.h"));
  CHECK_FALSE(may_include("sim", "matrix/cell.h"));
  CHECK_FALSE(may_include("sim", "reference/mask_expand.h"));
  CHECK_FALSE(may_include("matrix", "gpu/device.h"));
  CHECK_FALSE(may_include("gpu", "reference/mask_expand.h"));
  CHECK_FALSE(may_include("gpu", "matrix/backend.h"));
  CHECK(may_include("gpu", "reference/error.h"));
  CHECK(may_include("app", "reports/report.h"));
  CHECK(is_reserved_from({"matrix/runner.cpp", "SQLiteCpp/Database.h", false}));
  CHECK(is_reserved_from({"app/main.cpp", "CLI/CLI.hpp", false}));
  CHECK_FALSE(is_reserved_from({"matrix/store_read.cpp", "SQLiteCpp/Statement.h", false}));
}

}  // namespace
}  // namespace flashgate
