#include "reports/dispatch_graph.h"

#include <algorithm>
#include <sstream>

#include <doctest/doctest.h>

#include "example_run.h"
#include "matrix/texts.h"
#include "reports/dot_text.h"
#include "reports/render_svg.h"
#include "reports/whole_file.h"
#include "tests/temporary_folder.h"

namespace flashgate::reports {
namespace {

using matrix::Verdict;
using sim::Phase;

std::string dot(const DispatchGraph& graph, std::string_view title, std::size_t most_nodes = kMostNodes)
{
  std::ostringstream out;
  write_dot(out, graph, title, most_nodes);
  return out.str();
}

const GraphNode& node(const DispatchGraph& graph, std::string_view text)
{
  const auto found =
      std::find_if(graph.nodes.begin(), graph.nodes.end(), [&](const GraphNode& n) { return n.text == text; });
  REQUIRE(found != graph.nodes.end());
  return *found;
}

/// A comb of `teeth` routes, one of which fails.
std::vector<matrix::RouteRow> many_routes(int teeth)
{
  std::vector<matrix::RouteRow> routes;
  for (int i = 0; i < teeth; ++i) {
    const std::string number = std::to_string(i);
    routes.push_back(tests::route({{Phase::forward, "asks", number}, {Phase::forward, "decides " + number, "yes"}},
                                  "end " + number, 1 + i, i == 3 ? Verdict::fail : Verdict::pass, "cell " + number));
  }
  return routes;
}

}  // namespace

TEST_CASE("a graph is the union of its routes")
{
  const DispatchGraph graph = build_graph(tests::faulty_routes());
  CHECK(graph.nodes[0].kind == GraphNode::Kind::start);
  CHECK(graph.nodes[0].traffic.plans == 1108);
  CHECK(node(graph, "v4 missing").traffic.plans == 1107);
  CHECK(node(graph, "v4 missing").traffic.worst == Verdict::fail);
  CHECK(node(graph, "v4 missing").traffic.failing == 100);
  CHECK(node(graph, "v4 / v4").traffic.worst == Verdict::pass);
  CHECK(node(graph, "import ImportError").traffic.example_cell == "cp_flashmask/flag_version=4,rank_skew=rank0_only");
  // "launches" and "raises" are decisions of two phases each.
  CHECK(std::count_if(graph.nodes.begin(), graph.nodes.end(),
                      [](const GraphNode& n) { return n.text == "launches"; }) == 2);
  CHECK(std::count_if(graph.nodes.begin(), graph.nodes.end(), [](const GraphNode& n) { return n.text == "raises"; }) ==
        2);
}

TEST_CASE("the order of the routes does not matter")
{
  std::vector<matrix::RouteRow> routes = tests::faulty_routes();
  const std::string expected = dot(build_graph(routes), "model:fleet-d");
  std::reverse(routes.begin(), routes.end());
  CHECK(dot(build_graph(routes), "model:fleet-d") == expected);
}

TEST_CASE("an edge's example is the simplest cell with the worst verdict")
{
  const auto one = [](Verdict worst, std::string_view cell) {
    return tests::route({{Phase::forward, "launches", "v2"}}, "v2 / v2", 1, worst, cell);
  };
  const DispatchGraph graph =
      build_graph({one(Verdict::pass, "a"), one(Verdict::fail, "longer"), one(Verdict::fail, "bb"),
                   one(Verdict::fail, "aa"), one(Verdict::warn, "c")});
  REQUIRE(graph.edges.size() == 2);
  CHECK(graph.edges[1].traffic.example_cell == "aa");
  CHECK(graph.edges[1].traffic.plans == 5);
  CHECK(graph.edges[1].traffic.failing == 3);
}

TEST_CASE("routes without steps, with a step twice, and no routes at all make a graph")
{
  CHECK(build_graph({}).nodes.size() == 1);
  CHECK(build_graph({tests::route({}, "error", 3, Verdict::error, "c")}).edges.size() == 1);
  const DispatchGraph loop = build_graph({tests::route(
      {{Phase::forward, "asks", "again"}, {Phase::forward, "asks", "again"}, {Phase::forward, "asks", "again"}}, "end",
      5, Verdict::pass, "c")});
  CHECK(node(loop, "asks").traffic.plans == 5);
  CHECK(loop.edges.size() == 3);
}

TEST_CASE("the DOT text is as it was")
{
  const std::string actual = dot(build_graph(tests::faulty_routes()), "model:fleet-d");
  CHECK(actual == tests::golden("dispatch_graph.dot", actual));
}

TEST_CASE("the DOT text of a difference is as it was")
{
  std::ostringstream out;
  write_diff_dot(out, build_graph(tests::faulty_routes()), build_graph(tests::repaired_routes()), "model:fleet-d",
                 "repaired");
  CHECK(out.str() == tests::golden("dispatch_diff.dot", out.str()));
}

TEST_CASE("a subject compared with itself differs in nothing")
{
  const DispatchGraph graph = build_graph(tests::faulty_routes());
  std::ostringstream out;
  write_diff_dot(out, graph, graph, "a", "a");
  const std::string text = out.str();
  CHECK(text.find("dashed,") == std::string::npos);
  CHECK(text.find("style=dashed") == std::string::npos);
  CHECK(text.find("bold,") == std::string::npos);
  CHECK(text.find("#D55E00") == std::string::npos);
}

TEST_CASE("a graph that is too large keeps the way to the failure and says what it leaves out")
{
  const DispatchGraph graph = build_graph(many_routes(400));
  const std::string text = dot(graph, "large", 50);
  CHECK(text.find("752 nodes left out") != std::string::npos);
  CHECK(text.find("✗ end 3\\n4 plans") != std::string::npos);
  CHECK(text.find("\"decides 3\"") != std::string::npos);
  CHECK(text.find("\"decides 5\"") == std::string::npos);
  CHECK(text.find("\"decides 399\"") != std::string::npos);
  CHECK(dot(graph, "large", 5000).find("left out") == std::string::npos);
}

TEST_CASE("dot strings are one quoted string whatever is in them")
{
  for (const std::string& text : tests::hostile_texts()) {
    const std::string quoted = dot_string(text);
    REQUIRE(quoted.size() >= 2);
    CHECK(quoted.front() == '"');
    CHECK(quoted.back() == '"');
    CHECK(matrix::find_invalid_utf8(quoted) == std::string::npos);
    bool escaped = false, bare_quote = false;
    for (const char c : quoted.substr(1, quoted.size() - 2)) {
      bare_quote = bare_quote || (!escaped && c == '"');
      escaped = !escaped && c == '\\';
    }
    CHECK(!escaped);
    CHECK(!bare_quote);
    CHECK(quoted.size() < 4000);
  }
  CHECK(dot_label("Fleet: block_mask signature, deterministic, head_dim > 128") ==
        "\"Fleet: block_mask\\nsignature,\\ndeterministic, head_dim\\n> 128\"");
}

TEST_CASE("Graphviz reads a graph of hostile texts and shows them as they are")
{
  std::vector<matrix::RouteRow> routes;
  for (const std::string& text : tests::hostile_texts())
    routes.push_back(
        tests::route({{Phase::forward, text, text}, {Phase::none, text, text}}, text, 1, Verdict::fail, text));
  const tests::TemporaryFolder folder;
  write_whole_file(folder.path() / "g.dot", dot(build_graph(routes), tests::hostile_texts()[0]));
  const Rendering rendering = render_svg(folder.path() / "g.dot", folder.path() / "g.svg");
  CAPTURE(rendering.reason);
  if (!rendering.done && rendering.reason.find("not found") != std::string::npos) return;  // no Graphviz here
  REQUIRE(rendering.done);
  const std::string svg = tests::read_file(folder.path() / "g.svg");
  CHECK(svg.find("<script") == std::string::npos);
  CHECK(svg.find("<img") == std::string::npos);
  CHECK(svg.find("&lt;script&gt;alert(1)&lt;/script&gt;") != std::string::npos);
  CHECK(svg.find("a &amp; b &amp;amp; &amp;lt; &amp;#60;") != std::string::npos);
}

}  // namespace flashgate::reports
