#include "matrix/suite.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include <doctest/doctest.h>
#include <rapidcheck.h>
#include <unistd.h>

#include "reference/error.h"

namespace flashgate::matrix {
namespace {

namespace fs = std::filesystem;

const std::string kSuites = std::string(FLASHGATE_SOURCE_DIR) + "/suites";

/// A folder of suites that is gone with the object.
class SuiteFolder
{
 public:
  SuiteFolder() : path_(fs::temp_directory_path() / ("flashgate_suite_test." + std::to_string(getpid())))
  {
    fs::create_directory(path_);
  }
  ~SuiteFolder() { fs::remove_all(path_); }
  SuiteFolder(const SuiteFolder&) = delete;
  SuiteFolder& operator=(const SuiteFolder&) = delete;

  std::string path() const { return path_.string(); }
  void write(const std::string& name, const std::string& text) const
  {
    std::ofstream(path_ / (name + ".toml"), std::ios::binary) << text;
  }
  Suite load(const std::string& text) const
  {
    write("s", text);
    return load_suite(path(), "s");
  }

  /// The message that loading the text ends with; empty if it loads.
  std::string message(const std::string& text) const
  {
    try {
      load(text);
    } catch (const Error& e) {
      return e.what();
    }
    return "";
  }

 private:
  fs::path path_;
};

/// A good part, so that a case is bad in one way only.
const std::string kPart = "[[select]]\nkind = 'product'\naxes = ['path']\n";

struct BadSuite
{
  std::string text, line, complaint;
};

const BadSuite kBadSuites[] = {
    {"", "1", "nothing is selected, expected at least one [[select]]"},
    {"description = 'x'\n", "1", "nothing is selected"},
    {"select = []\n", "1", "found an empty list"},
    {"select = 3\n", "1", "found integer, expected a list"},
    {"select = [3]\n", "1", "found integer, expected a table"},
    {"# \n\ndescription = 3\n" + kPart, "3", "found integer, expected a text in quotes"},
    {"description = ''\n" + kPart, "1", "found an empty text"},
    {"desc = 'x'\n" + kPart, "1",
     "no key 'desc', expected one of description, executions, expectations, extends, pinned, select"},
    {"expectations = ['x']\n" + kPart, "1", "found array, expected a text in quotes"},
    {"pinned = 3\n" + kPart, "1", "found integer, expected a table"},
    {"[pinned]\nflag = '3'\n" + kPart, "2", "no axis 'flag', expected one of path, flag_version"},
    {"[pinned]\ncp_size = '3'\n" + kPart, "2", "no value of axis cp_size '3', expected one of 1, 2, 4, 8"},
    {"[pinned]\ncp_size = 2\n" + kPart, "2", "found integer, expected a text in quotes"},
    {"[[select]]\naxes = 'core'\n", "1", "a part without kind"},
    {"[[select]]\nkind = 'all'\n", "2", "no kind 'all', expected one of product, array, each_value, cells"},
    {"[[select]]\nkind = 'product'\n", "1", "a part without axes"},
    {"[[select]]\nkind = 'product'\naxes = 'most'\n", "3",
     "no group of axes 'most', expected one of core, others, all"},
    {"[[select]]\nkind = 'product'\naxes = []\n", "3", "found an empty list"},
    {"[[select]]\nkind = 'product'\naxes = ['path', 'flag']\n", "3", "no axis 'flag', expected one of path"},
    {"[[select]]\nkind = 'product'\naxes = ['path', 'path']\n", "3", "axis path listed twice"},
    {"[[select]]\nkind = 'product'\naxes = ['path']\nstrength = 2\n", "4", "no key 'strength'"},
    {"[[select]]\nkind = 'array'\naxes = 'core'\nstrength = 0\n", "4",
     "a strength out of range, expected a number from 1"},
    {"[executions]\nevidence = \"L3\"\n" + kPart, "2", "expected one of L1, L2"},
    {"[executions.L2]\n" + kPart, "1", "a part without limit, expected limit = a number of executions"},
    {"[executions]\nlimit = 0\n" + kPart, "2", "no such limit, expected a number of executions from 1 on"},
    {"[executions]\nstrength = 9\n" + kPart, "2", "a strength out of range"},
    {"[executions]\nsize = 1\n" + kPart, "2", "no key 'size', expected one of"},
    {"[[select]]\nkind = 'array'\naxes = 'core'\nstrength = 5\n", "4", "a strength out of range"},
    {"[[select]]\nkind = 'array'\naxes = 'core'\nstrength = '2'\n", "4", "a strength out of range"},
    {"[[select]]\nkind = 'each_value'\naxes = 'all'\n", "3", "a core axis in a part of kind each_value"},
    {kPart + "values = ['sm90']\n", "4", "found array, expected a table"},
    {kPart + "[select.values]\npat = ['rr_flash']\n", "5", "no axis 'pat'"},
    {kPart + "[select.values]\ndevice = ['sm90']\n", "5", "values of axis device, expected one of this part's axes"},
    {kPart + "[select.values]\npath = 'rr_flash'\n", "5", "found string, expected a list"},
    {kPart + "[select.values]\npath = []\n", "5", "found an empty list"},
    {kPart + "[select.values]\npath = ['rr']\n", "5", "no value of axis path 'rr', expected one of rr_flashmask"},
    {kPart + "[select.values]\npath = ['rr_flash', 'rr_flash']\n", "5", "value 'rr_flash' listed twice"},
    {"[[select]]\nkind = 'cells'\n", "1", "a part without cells, expected cells = [names]"},
    {"[[select]]\nkind = 'cells'\naxes = 'core'\ncells = ['rr_flash']\n", "3", "no key 'axes', expected one of kind"},
    {"[[select]]\nkind = 'cells'\ncells = []\n", "3", "found an empty list"},
    {"[[select]]\nkind = 'cells'\ncells = [\n 'rr_flash',\n 'rr_flash/cp_size=3']\n", "5",
     "cell 'rr_flash/cp_size=3': axis cp_size has no value '3', expected one of 1"},
    {"[[select]]\nkind = 'cells'\ncells = [\n 'rr_flash',\n 'rr_flash/flag_version=3']\n", "5",
     "cell 'rr_flash' listed twice"},
    {"[[select]]\nkind = 'cells'\ncells = ['rr_flash/cp_size=2']\n", "3",
     "cell 'rr_flash/cp_size=2' is excluded, expected an allowed one: only the cp paths"},
    {"\n\ndescription = \"\xff\"\n" + kPart, "3", "a byte that is not UTF-8"},
    {"\n[[select\n", "2", "expected TOML"},
    {"a = 1\na = 2\n", "2", "expected TOML"},
    {"[\xEF\xBF\xBF", "1", "expected TOML"},
    {std::string("a = '\0'", 7), "1", "expected TOML"},
    {"extends = 'nowhere'\n", "1", "no suite 'nowhere', expected one of s, or a path"},
    {"\nextends = 's'\n", "2", "a suite that extends itself, expected another suite"},
    {"extends = '/nowhere/x.toml'\n", "", "/nowhere/x.toml: no file that can be read"},
};

}  // namespace

TEST_CASE("a bad suite is refused with one line that says where and what was expected")
{
  const SuiteFolder folder;
  for (const BadSuite& bad : kBadSuites) {
    CAPTURE(bad.text);
    const std::string message = folder.message(bad.text);
    CHECK(message.find(bad.complaint) != std::string::npos);
    CHECK(message.find("expected") != std::string::npos);
    CHECK(message.find('\n') == std::string::npos);
    if (!bad.line.empty()) CHECK(message.starts_with(folder.path() + "/s.toml:" + bad.line + ": "));
  }
}

TEST_CASE("text that is no suite is refused, whatever it is")
{
  const SuiteFolder folder;
  const bool held = rc::check([&](const std::string& noise) {
    for (const std::string& text : {noise, "[" + noise, "a = " + noise, kPart + noise, "select = [" + noise}) {
      const std::string message = folder.message(text);
      RC_ASSERT(message.find('\n') == std::string::npos);
    }
  });
  CHECK(held);
}

TEST_CASE("an unknown suite is answered with the known ones, a missing file with its path")
{
  const auto message = [](const std::string& folder, const std::string& name) {
    try {
      load_suite(folder, name);
    } catch (const Error& e) {
      return std::string(e.what());
    }
    return std::string();
  };
  CHECK(message(kSuites, "tin").find("no suite 'tin', expected one of default, dispatch, nightly, smoke, tiny") == 0);
  CHECK(message(kSuites, "").find("no suite ''") == 0);
  CHECK(message(kSuites, "nowhere.toml").find("nowhere.toml: no file that can be read") == 0);
  CHECK(message(kSuites, kSuites + "/").find("no file that can be read") != std::string::npos);
  CHECK(message("/nowhere", "tiny").find("/nowhere: ") == 0);
}

TEST_CASE("a suite says what it selects")
{
  const SuiteFolder folder;
  const Suite suite = folder.load(
      "description = 'd'\n[pinned]\ntraining = 'no'\n"
      "[[select]]\nkind = 'array'\naxes = ['path', 'head_dim']\nstrength = 1\n"
      "values = { head_dim = ['64/64', '192/128'] }\n"
      "[[select]]\nkind = 'each_value'\naxes = 'others'\n");
  CHECK(suite.name == "s");
  CHECK(suite.description == "d");
  CHECK(suite.expectations == "s");
  REQUIRE(suite.pinned.size() == 1);
  CHECK(suite.pinned[0].axis == AxisId::training);
  REQUIRE(suite.selections.size() == 2);
  const Selection& array = suite.selections[0];
  CHECK(array.kind == SelectionKind::array);
  CHECK(array.strength == 1);
  CHECK(array.where == folder.path() + "/s.toml:4");
  REQUIRE(array.axes.size() == 2);
  CHECK(array.axes[0].values.size() == axis(AxisId::path).values.size());
  CHECK(array.axes[1].values == std::vector<int>{1, 8});
  CHECK(suite.selections[1].strength == 2);
  CHECK(suite.selections[1].axes.size() == 11);
}

TEST_CASE("a suite that extends another has its parts first and its pins unless it pins the axis itself")
{
  const SuiteFolder folder;
  folder.write("base", "expectations = 'none'\n[pinned]\ntraining = 'no'\ndropout = '0.1'\n" + kPart);
  const Suite suite =
      folder.load("extends = 'base'\n[pinned]\ntraining = 'yes'\n[[select]]\nkind = 'cells'\ncells = ['rr_flash']\n");
  REQUIRE(suite.selections.size() == 2);
  CHECK(suite.selections[0].kind == SelectionKind::product);
  CHECK(suite.selections[1].kind == SelectionKind::cells);
  CHECK(suite.expectations == "s");
  REQUIRE(suite.pinned.size() == 2);
  const auto training = std::ranges::find(suite.pinned, AxisId::training, &AxisValues::axis);
  CHECK(training->values == std::vector<int>{0});
}

TEST_CASE("a suite of the user's own is loaded by its path and named after its file")
{
  const SuiteFolder folder;
  folder.write("mine", "extends = 'tiny'\n");
  const Suite suite = load_suite(kSuites, folder.path() + "/mine.toml");
  CHECK(suite.name == "mine");
  CHECK(suite.selections.size() == load_suite(kSuites, "tiny").selections.size());
}

TEST_CASE("the example in the docs is a suite")
{
  std::ifstream page(std::string(FLASHGATE_SOURCE_DIR) + "/docs/suites.md");
  const std::string text{std::istreambuf_iterator<char>(page), {}};
  const std::string fence = "```toml\n";
  const std::size_t begin = text.find(fence) + fence.size();
  const SuiteFolder folder;
  folder.write("example", text.substr(begin, text.find("```\n", begin) - begin));
  const Suite suite = load_suite(kSuites, folder.path() + "/example.toml");
  CHECK(suite.selections.size() == 5);
  CHECK(suite.expectations == "default");
}

TEST_CASE("the suites that ship load and say what they are")
{
  CHECK(suite_names(kSuites) == std::vector<std::string>{"default", "dispatch", "nightly", "smoke", "tiny"});
  for (const std::string& name : suite_names(kSuites)) {
    CAPTURE(name);
    const Suite suite = load_suite(kSuites, name);
    CHECK(suite.name == name);
    CHECK_FALSE(suite.description.empty());
    CHECK(suite.expectations == (name == "dispatch" ? "none" : "default"));
    CHECK(suite.pinned.empty() == (name == "nightly"));
  }
}

}  // namespace flashgate::matrix
