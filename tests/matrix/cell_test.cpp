#include "matrix/cell.h"

#include <fstream>
#include <string>

#include <doctest/doctest.h>
#include <rapidcheck.h>

#include "matrix/enumerator.h"
#include "reference/error.h"

namespace flashgate::matrix {
namespace {

const std::string kSuites = std::string(FLASHGATE_SOURCE_DIR) + "/suites";

std::string message_of(const std::string& name)
{
  try {
    parse_cell(name);
  } catch (const Error& e) {
    return e.what();
  }
  return "";
}

Cell drawn_cell()
{
  Cell cell;
  for (const Axis& a : axes())
    cell[a.id] = static_cast<std::uint8_t>(*rc::gen::inRange<int>(0, static_cast<int>(a.values.size())));
  return cell;
}

}  // namespace

TEST_CASE("a name holds what differs from the default of its path and flip")
{
  struct Row
  {
    std::string_view given, name;
  };
  constexpr Row kRows[] = {
      {"rr_flashmask", "rr_flashmask"},
      {"rr_flashmask/flag_version=3", "rr_flashmask"},
      {"rr_flashmask/v4_import=no,flag_version=4", "rr_flashmask/flag_version=4,v4_import=no"},
      {"rr_flashmask/head_dim=64/64", "rr_flashmask/head_dim=64"},
      {"rr_flashmask/head_dim=192/128", "rr_flashmask/head_dim=192/128"},
      {"rr_flash/mask_columns=none", "rr_flash"},
      {"rr_flashmask/mask_columns=none", "rr_flashmask/mask_columns=none"},
      {"cp_flashmask/cp_size=2", "cp_flashmask"},
      {"cp_flashmask/cp_size=1", "cp_flashmask/cp_size=1"},
      {"rr_flashmask/flip=flag_2_3", "rr_flashmask/flip=flag_2_3"},
      {"rr_flashmask/flag_version=2,flip=flag_2_3", "rr_flashmask/flip=flag_2_3"},
      {"rr_flashmask/flag_version=3,flip=flag_2_3", "rr_flashmask/flag_version=3,flip=flag_2_3"},
  };
  for (const Row& row : kRows) {
    CAPTURE(row.given);
    CHECK(cell_name(parse_cell(row.given)) == row.name);
  }
}

TEST_CASE("a name that does not parse is refused with what is wrong in it")
{
  struct Row
  {
    std::string name, complaint;
  };
  const Row kRows[] = {
      {"", "axis path has no value ''"},
      {"rr", "axis path has no value 'rr', expected one of rr_flashmask"},
      {"rr_flashmask/", "expected axis=value, found ''"},
      {"rr_flashmask/flag_version", "expected axis=value, found 'flag_version'"},
      {"rr_flashmask/flag_version=4,", "expected axis=value, found ''"},
      {"rr_flashmask/flag=4", "there is no axis 'flag', expected one of flag_version"},
      {"rr_flashmask/path=rr_flash", "the path stands first"},
      {"rr_flashmask/flag_version=1", "axis flag_version has no value '1', expected one of 3, 2, 4, 5, 0"},
      {"rr_flashmask/flag_version= 4", "axis flag_version has no value ' 4'"},
      {"rr_flashmask/head_dim=128/64", "axis head_dim has no value '128/64'"},
      {"rr_flashmask/flag_version=4,flag_version=4", "axis flag_version is given twice"},
      {"rr_flashmask/device=\x01\xff", "axis device has no value '\?\?'"},
      {std::string("rr_flashmask\0", 13), "axis path has no value 'rr_flashmask?'"},
  };
  for (const Row& row : kRows) {
    CAPTURE(row.name);
    const std::string message = message_of(row.name);
    CHECK(message.find(row.complaint) != std::string::npos);
    CHECK(message.find('\n') == std::string::npos);
  }
}

TEST_CASE("the names that the docs give as examples are canonical")
{
  std::ifstream page(std::string(FLASHGATE_SOURCE_DIR) + "/docs/cell_names.md");
  int examples = 0;
  for (std::string line; std::getline(page, line);) {
    const std::size_t end = line.find("` | ");
    if (!line.starts_with("| `") || end == std::string::npos || line.find("_flash") > end) continue;
    const std::string name = line.substr(3, end - 3);
    CAPTURE(name);
    CHECK(cell_name(parse_cell(name)) == name);
    ++examples;
  }
  CHECK(examples == 7);
}

TEST_CASE("every cell of every suite survives the way through its name")
{
  for (const std::string& suite : suite_names(kSuites)) {
    CAPTURE(suite);
    std::size_t survived = 0;
    const std::vector<Cell> cells = enumerate(load_suite(kSuites, suite)).cells;
    for (const Cell& cell : cells)
      survived += parse_cell(cell_name(cell)) == cell;
    CHECK(survived == cells.size());
  }
}

TEST_CASE("any cell survives the way through its name")
{
  const bool held = rc::check([] {
    const Cell cell = drawn_cell();
    RC_ASSERT(parse_cell(cell_name(cell)) == cell);
  });
  CHECK(held);
}

TEST_CASE("different cells have different names")
{
  const bool held = rc::check([] {
    const Cell a = drawn_cell(), b = drawn_cell();
    RC_ASSERT((cell_name(a) == cell_name(b)) == (a == b));
  });
  CHECK(held);
}

TEST_CASE("a text either parses to a cell or is refused, whatever it is")
{
  const bool held = rc::check([](const std::string& tail) {
    for (const std::string& text : {tail, "rr_flash/" + tail, "rr_flash/flip=" + tail}) {
      const std::string message = message_of(text);
      RC_ASSERT(message.find('\n') == std::string::npos);
      if (message.empty()) RC_ASSERT(parse_cell(cell_name(parse_cell(text))) == parse_cell(text));
    }
  });
  CHECK(held);
}

TEST_CASE("a request holds the numbers that the name spells")
{
  const sim::Request request =
      to_request(parse_cell("cp_flashmask/flag_version=4,device=sm100,deterministic=on,head_dim=192/128,cp_size=8"));
  CHECK(request.path == sim::Path::cp_flashmask);
  CHECK(request.flags == sim::VersionSettings{4, true});
  CHECK(request.config == request.flags);
  CHECK(request.head_dim.qk == 192);
  CHECK(request.head_dim.v == 128);
  CHECK(request.cp_size == 8);
  CHECK(sim::v4_available(request));
  CHECK(to_request(parse_cell("rr_flash")).mask_columns == 0);
  CHECK(to_request(parse_cell("cp_flashmask/rank_skew=rank0_only")).ranks_with_v4 == 1);
  CHECK(to_request(parse_cell("cp_flashmask/mask_columns=1,causal_direct=yes")).causal);
}

TEST_CASE("a flip changes the flags between first and second forward")
{
  const sim::Request version = to_request(parse_cell("rr_flashmask/flip=flag_3_4,deterministic=on"));
  CHECK(version.flags == sim::VersionSettings{3, true});
  CHECK(version.second_flags == sim::VersionSettings{4, true});
  const sim::Request deterministic = to_request(parse_cell("rr_flashmask/flag_version=4,flip=det_on"));
  CHECK(deterministic.flags == sim::VersionSettings{4, false});
  CHECK(deterministic.second_flags == sim::VersionSettings{4, true});
}

}  // namespace flashgate::matrix
