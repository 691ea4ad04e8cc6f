#include "matrix/route_difference.h"

#include <doctest/doctest.h>

namespace flashgate::matrix {
namespace {

using sim::Phase;
using sim::Symbol;
using Trace = std::vector<sim::TraceStep>;

Trace trace(const std::vector<std::pair<const char*, const char*>>& steps)
{
  Trace made;
  for (const auto& [decision, outcome] : steps)
    made.push_back({Phase::forward, Symbol(decision), Symbol(outcome)});
  return made;
}

std::string signs(const Trace& base, const Trace& head)
{
  std::string text;
  for (const DifferenceLine& line : difference_lines(base, head))
    text += std::string(1, static_cast<char>(line.sign)) + line.decision.text + ' ';
  return text;
}

}  // namespace

TEST_CASE("a place is taken off a decision, wherever it stands")
{
  const struct
  {
    const char *decision, *text, *file;
    int line;
  } cases[] = {
      {"version == 3  [src/a.py:69]", "version == 3", "src/a.py", 69},
      {"src/a.py:69: version == 3", "version == 3", "src/a.py", 69},
      {"x[0] == 3  [a.py:7]", "x[0] == 3", "a.py", 7},
      {"a.py:7: d: dict", "d: dict", "a.py", 7},
      {"lambda x: 1  [a b.py:7]", "lambda x: 1", "a b.py", 7},
      {"Fleet: version is 3", "Fleet: version is 3", "", 0},
      {"x[1:2]", "x[1:2]", "", 0},
      {"y [a:0]", "y [a:0]", "", 0},
      {"y [a:-4]", "y [a:-4]", "", 0},
      {"y [a:99999999999]", "y [a:99999999999]", "", 0},
      {"", "", "", 0},
      {"]", "]", "", 0},
  };
  for (const auto& expected : cases) {
    CAPTURE(expected.decision);
    const PlacedText placed = split_place(expected.decision);
    CHECK(placed.text == expected.text);
    CHECK(placed.place == SourcePlace{expected.file, expected.line});
  }
}

TEST_CASE("traces part at the first other question or answer, not where lines have moved")
{
  const Trace base = trace({{"on xpu  [a.py:1]", "no"}, {"det  [a.py:2]", "yes"}, {"launches", "v2"}});
  const Trace moved = trace({{"on xpu  [a.py:11]", "no"}, {"det  [a.py:12]", "yes"}, {"launches", "v2"}});
  const Trace other = trace({{"on xpu  [a.py:1]", "no"}, {"version == 3  [a.py:2]", "no"}, {"launches", "v3"}});
  CHECK(find_parting(base, moved).same);
  const Parting parting = find_parting(base, other);
  CHECK_FALSE(parting.same);
  CHECK(parting.base.text == "det");
  CHECK(parting.head.text == "version == 3");
  CHECK(parting.place() == SourcePlace{"a.py", 2});
}

TEST_CASE("a trace that ends earlier parts there, and an empty one at once")
{
  const Trace base = trace({{"a  [a.py:1]", "yes"}, {"b  [a.py:2]", "no"}});
  const Parting shorter = find_parting(base, trace({{"a", "yes"}}));
  CHECK(shorter.head.text.empty());
  CHECK(shorter.place() == SourcePlace{"a.py", 2});
  CHECK(find_parting({}, base).head.text == "a");
  CHECK(find_parting({}, {}).same);
}

TEST_CASE("the difference keeps what is common and the order of each side")
{
  const Trace base = trace({{"a", "1"}, {"b", "1"}, {"c", "1"}, {"d", "1"}});
  const Trace head = trace({{"a", "1"}, {"x", "1"}, {"c", "1"}, {"d", "2"}});
  CHECK(signs(base, head) == " a -b +x  c -d +d ");
  CHECK(signs(base, base) == " a  b  c  d ");
  CHECK(signs({}, head) == "+a +x +c +d ");
  CHECK(signs(base, {}) == "-a -b -c -d ");
}

TEST_CASE("endless traces are cut before they are compared")
{
  CHECK(difference_lines(Trace(100000, {Phase::forward, Symbol("a"), Symbol("b")}), Trace()).size() == 400);
}

}  // namespace flashgate::matrix
