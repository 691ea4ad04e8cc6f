#include "matrix/condition.h"

#include <string>

#include <doctest/doctest.h>

#include "reference/error.h"

namespace flashgate::matrix {
namespace {

TEST_CASE("a condition is spelled the shortest way and parses back")
{
  struct Row
  {
    const char* written;
    const char* spelled;
  };
  const Row rows[] = {
      {"", ""},
      {"flag_version=4", "flag_version=4"},
      {"deterministic=on flag_version=4", "flag_version=4 deterministic=on"},
      {"v4_available=no flag_version=4 device!=xpu", "flag_version=4 v4_available=no device!=xpu"},
      {"head_dim=136,160,192,256,192/128,512,576/512,160/128,192/64,256/128", "head_dim>128"},
      {"head_dim<=128", "head_dim<=128"},
      {"device=sm90,sm80,sm100,sm120", "device!=xpu"},
      {"signature=legacy,group", "signature=legacy,group"},
      {"head_dim=64/64", "head_dim=64"},
      {"  flip=none   cp_size=2 ", "cp_size=2 flip=none"},
  };
  for (const Row& row : rows) {
    CAPTURE(row.written);
    const Condition condition = Condition::parse(row.written);
    CHECK(condition.text() == row.spelled);
    CHECK(Condition::parse(condition.text()) == condition);
  }
}

TEST_CASE("a condition matches the cells it says")
{
  const Condition condition = Condition::parse("flag_version=4 v4_available=no deterministic=on head_dim>128");
  CHECK(condition.matches(parse_cell("rr_flash/flag_version=4,deterministic=on,head_dim=192/128")));
  CHECK(
      condition.matches(parse_cell("rr_flash/flag_version=4,device=sm100,v4_import=no,deterministic=on,head_dim=136")));
  CHECK_FALSE(condition.matches(parse_cell("rr_flash/flag_version=4,device=sm100,deterministic=on,head_dim=136")));
  CHECK_FALSE(condition.matches(parse_cell("rr_flash/flag_version=4,deterministic=on")));
  CHECK(Condition().matches(parse_cell("cp_flashmask")));
}

TEST_CASE("what is no condition is refused with what was expected")
{
  struct Row
  {
    const char* text;
    const char* says;
  };
  const Row rows[] = {
      {"flag=4", "there is no axis 'flag'"},
      {"flag_version", "expected attribute=value"},
      {"flag_version=7", "flag_version has no value '7', expected of 3,2,4,5,0"},
      {"device>3", "only head_dim has an order"},
      {"head_dim>x", "expected a number"},
      {"head_dim<128", "expected one of = != > <="},
      {"device=xpu device=sm90", "no value is left"},
      {"head_dim>576", "no value is left"},
  };
  for (const Row& row : rows) {
    CAPTURE(row.text);
    std::string message;
    try {
      Condition::parse(row.text);
    } catch (const Error& error) {
      message = error.what();
    }
    CHECK(message.find(row.says) != std::string::npos);
    CHECK(message.find('\n') == std::string::npos);
  }
}

}  // namespace
}  // namespace flashgate::matrix
