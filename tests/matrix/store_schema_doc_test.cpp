#include <string_view>

#include <doctest/doctest.h>

#include "matrix/texts.h"
#include "tests/matrix/store_fixture.h"

namespace flashgate::matrix {
namespace {

std::string document() { return file_bytes(std::string(FLASHGATE_SOURCE_DIR) + "/docs/store_schema.md"); }

/// An example of the document: the line before a fenced sql block, and the block.
struct Example
{
  std::string question;
  std::string sql;
};

std::vector<Example> examples()
{
  std::vector<Example> found;
  std::string_view last;  // line that is not empty
  const std::string text = document();
  bool inside = false;
  for (const std::string_view line : split(text, '\n')) {
    if (line == "```sql") {
      found.push_back({std::string(last), ""});
      inside = true;
    } else if (line == "```") {
      inside = false;
    } else if (inside) {
      found.back().sql += std::string(line) + '\n';
    }
    if (!line.empty()) last = line;
  }
  return found;
}

}  // namespace

TEST_CASE("every example query of docs/store_schema.md runs and answers its question on a filled database")
{
  const TempFolder folder;
  const std::string file = folder.file("results.db");
  write_sample(file);
  CHECK(examples().size() == 10);
  for (const Example& example : examples()) {
    CAPTURE(example.question);
    CHECK(example.question.ends_with("?"));
    CHECK_FALSE(query(file, example.sql).empty());
  }
}

TEST_CASE("docs/store_schema.md names every table, view and column that is not an axis")
{
  const TempFolder folder;
  const std::string file = folder.file("results.db");
  write_sample(file);
  const std::string text = document();
  for (const char* mark : {"user_version", "application_id"}) {
    CAPTURE(mark);
    CHECK(text.find(query(file, std::string("PRAGMA ") + mark)[0]) != std::string::npos);
  }
  for (const std::string& name : query(file, "SELECT name FROM sqlite_master WHERE type IN ('table', 'view')")) {
    CAPTURE(name);
    CHECK(text.find("`" + name + "`") != std::string::npos);
    if (name == "cell") continue;
    for (const std::string& column : query(file, "SELECT name FROM pragma_table_info('" + name + "')")) {
      CAPTURE(column);
      const bool is_axis = find_axis(column).has_value() || column == "head_dim_v";
      CHECK((is_axis || text.find(column) != std::string::npos));
    }
  }
}

}  // namespace flashgate::matrix
