#include "gpu/emulator/finding.h"

#include <set>

#include <doctest/doctest.h>

#include "reference/error.h"

namespace flashgate::gpu {
namespace {

Finding found(Check check, std::int32_t instruction, std::int32_t other = -1)
{
  Finding finding;
  finding.check = check;
  finding.instruction = instruction;
  finding.other = other;
  return finding;
}

}  // namespace

TEST_CASE("every check has a name of its own, and the name means that check")
{
  std::set<std::string_view> names;
  for (int i = 0; i < kCheckCount; ++i) {
    const auto check = static_cast<Check>(i);
    names.insert(check_name(check));
    CheckSet expected = CheckSet::always();
    expected.add(check);
    CHECK(parse_checks(check_name(check)) == expected);
  }
  CHECK(names.size() == kCheckCount);
}

TEST_CASE("groups add their checks to those that are always on")
{
  struct Row
  {
    const char* text;
    std::vector<Check> added;
  };
  const Row rows[] = {
      {"", {}},
      {"race", {Check::race_shared, Check::race_global}},
      {"uninit", {Check::uninit_shared, Check::uninit_global, Check::uninit_local, Check::uninit_register}},
      {"bounds", {}},
      {"async", {Check::async_read}},
      {"misaligned,race-global", {Check::misaligned, Check::race_global}},
  };
  for (const Row& row : rows) {
    CheckSet expected = CheckSet::always();
    for (const Check check : row.added)
      expected.add(check);
    CHECK_MESSAGE(parse_checks(row.text) == expected, row.text);
  }
  CHECK(CheckSet::always().has(Check::out_of_bounds));
  CHECK(CheckSet::always().has(Check::hang));
  CHECK_FALSE(CheckSet::always().has(Check::race_shared));
  CHECK(parse_checks("race,uninit,bounds,async,misaligned") == CheckSet::all());
}

TEST_CASE("an unknown check is named")
{
  CHECK_THROWS_WITH_AS(parse_checks("race,speed"), doctest::Contains("unknown check 'speed'"), Error);
  CHECK_THROWS_WITH_AS(parse_checks("race,,uninit"), doctest::Contains("unknown check ''"), Error);
}

TEST_CASE("findings of one place are counted, those of another are kept apart")
{
  FindingLog log;
  CHECK(log.is_new(Check::race_shared, 3, 7));
  log.add(found(Check::race_shared, 3, 7));
  CHECK_FALSE(log.is_new(Check::race_shared, 3, 7));
  log.add(found(Check::race_shared, 3, 7));
  for (const Finding& other : {found(Check::race_shared, 3, 8), found(Check::race_shared, 4, 7),
                               found(Check::async_read, 3, 7), found(Check::race_shared, 3)}) {
    CHECK(log.is_new(other.check, other.instruction, other.other));
    log.add(other);
  }
  REQUIRE(log.findings().size() == 5);
  CHECK(log.findings()[0].count == 2);
  CHECK(log.dropped() == 0);
}

TEST_CASE("beyond a thousand places findings are only counted")
{
  FindingLog log;
  for (int i = 0; i < 1003; ++i)
    log.add(found(Check::misaligned, i));
  CHECK(log.findings().size() == 1000);
  CHECK(log.dropped() == 3);
  CHECK_FALSE(log.is_new(Check::misaligned, 2000, -1));
}

}  // namespace flashgate::gpu
