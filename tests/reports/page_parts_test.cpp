#include <cmath>
#include <nlohmann/json.hpp>
#include <sstream>

#include <doctest/doctest.h>
#include <zlib.h>

#include "example_matrix.h"
#include "example_run.h"
#include "matrix/texts.h"
#include "reports/json_text.h"
#include "reports/matrix_json.h"
#include "reports/packed_text.h"
#include "reports/run_changes.h"
#include "reports/support.h"
#include "reports/trends.h"

namespace flashgate::reports {
namespace {

using matrix::Verdict;

std::string unpacked(const std::string& packed)
{
  std::string bytes;
  std::uint32_t group = 0;
  int bits = 0;
  for (const char c : packed) {
    const auto place = std::string_view("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/").find(c);
    if (place == std::string_view::npos) break;
    group = group << 6 | static_cast<std::uint32_t>(place);
    bits += 6;
    if (bits < 8) continue;
    bits -= 8;
    bytes += static_cast<char>(group >> bits & 0xFF);
  }
  std::string text(1'000'000, '\0');
  uLongf size = text.size();
  REQUIRE(uncompress(reinterpret_cast<Bytef*>(text.data()), &size, reinterpret_cast<const Bytef*>(bytes.data()),
                     bytes.size()) == Z_OK);
  text.resize(size);
  return text;
}

}  // namespace

TEST_CASE("base64 is that of RFC 4648")
{
  const std::pair<const char*, const char*> cases[] = {{"", ""},
                                                       {"f", "Zg=="},
                                                       {"fo", "Zm8="},
                                                       {"foo", "Zm9v"},
                                                       {"foob", "Zm9vYg=="},
                                                       {"fooba", "Zm9vYmE="},
                                                       {"foobar", "Zm9vYmFy"}};
  for (const auto& [text, expected] : cases)
    CHECK(base64(text) == expected);
}

TEST_CASE("a packed text unpacks to itself, and the same each time")
{
  for (const std::string& text : tests::hostile_texts()) {
    CHECK(packed_text(text) == packed_text(text));
    CHECK(unpacked(packed_text(text)) == text);
  }
}

TEST_CASE("JSON text puts commas where they belong")
{
  JsonText json;
  json.object([&] {
    json.key("a").array([&] { json.number(std::int64_t{1}).text("x[").text(":").number(0.5).number(NAN); });
    json.key("b").object([] {});
    json.key("c").raw("null");
  });
  CHECK(json.str() == R"({"a":[1,"x[",":",0.5,null],"b":{},"c":null})");
}

TEST_CASE("the matrix's JSON has every distinct thing once and its rows refer to them")
{
  const std::vector<OlderRun> history{{"default-0", "", "2026-01-01T03:04:05Z", {1}, {-1}}};
  const std::string text = matrix_json(tests::example_matrix(), tests::example_source().run, history);
  CHECK(text == matrix_json(tests::example_matrix(), tests::example_source().run, history));
  CHECK(text + '\n' == tests::golden("matrix.json", text + '\n'));
  const auto json = nlohmann::json::parse(text);
  CHECK(json["rows"]["cell_step"] == nlohmann::json::parse("[0, 1, 1, -2, 1, 1]"));
  CHECK(json["tones"].size() == json["verdicts"].size());
  CHECK(json["plans"][0].size() == json["plan_fields"].size() + 2);
  CHECK(json["history"][0]["verdicts"][0] == -1);
}

TEST_CASE("hostile texts leave the JSON well-formed and short")
{
  for (const std::string& bad : tests::hostile_texts()) {
    const std::string text = matrix_json(tests::matrix_full_of(bad), {}, {{bad, bad, bad, {}, {}}});
    CHECK(nlohmann::json::accept(text));
    CHECK(matrix::find_invalid_utf8(text) == std::string::npos);
    CHECK(text.size() < 2'000'000);
  }
}

TEST_CASE("support counts what is served, refused and failing, by head dim and device")
{
  const std::vector<SubjectSupport> support = find_support(tests::example_matrix());
  REQUIRE(support.size() == 2);
  CHECK(support[0].head_dims == std::vector<std::string>{"128", "192"});
  CHECK(support[0].counts[0].served == 1);
  CHECK(support[0].counts[1].refused == 1);  // sm80
  CHECK(support[0].counts[2].failing == 1);  // 192 on sm90
  CHECK(find_support({}).empty());
}

TEST_CASE("two runs make a trend, and times that can't be read make a gap")
{
  CHECK(seconds_between("2026-01-31T23:59:58Z", "2026-02-01T00:00:03Z") == 5);
  CHECK(seconds_between("", "2026-02-01T00:00:03Z") < 0);
  CHECK(seconds_between("2026-99-31T23:59:58Z", "2026-02-01T00:00:03Z") < 0);
  CHECK(trend_lines({{}}).empty());
  const std::vector<TrendLine> lines = trend_lines(tests::example_page().trend);
  REQUIRE(lines.size() == 5);
  CHECK(lines[0].values == std::vector<double>{97, 80});
  CHECK(lines[2].values == std::vector<double>{7, 4});
  CHECK(lines[4].name == "failures of I4");
  CHECK(lines[4].values == std::vector<double>{0, 12});
}

}  // namespace flashgate::reports
