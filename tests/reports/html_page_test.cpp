#include "reports/html_page.h"

#include <pugixml.hpp>
#include <regex>
#include <set>
#include <sstream>

#include <doctest/doctest.h>
#include <fmt/format.h>

#include "example_matrix.h"
#include "example_run.h"
#include "matrix/texts.h"
#include "reports/html_escape.h"
#include "reports/junit.h"
#include "reports/matrix_json.h"

namespace flashgate::reports {
namespace {

using matrix::Outcome;
using matrix::Verdict;

std::string written(const PageContent& page)
{
  std::ostringstream out;
  write_html(out, page);
  return out.str();
}

/// The page of a run, with nothing in it but its summary.
std::string page(const SummarySource& source)
{
  PageContent content;
  content.summary = summarize(source);
  return written(content);
}

/// What is between the tags, left out: style, scripts and data have their own tests.
std::string without_embedded(std::string text)
{
  for (const std::string_view element : {"style", "script"})
    for (std::size_t at = 0; (at = text.find(fmt::format("<{}", element), at)) != std::string::npos;) {
      const std::size_t begin = text.find('>', at) + 1;
      text.replace(begin, text.find(fmt::format("</{}>", element), begin) - begin, "...");
      at = begin;
    }
  return text;
}

bool contains(const std::string& text, std::string_view part) { return text.find(part) != std::string::npos; }

std::set<std::string> matches(const std::string& text, const char* pattern)
{
  const std::regex regex(pattern);
  std::set<std::string> found;
  for (std::sregex_iterator match(text.begin(), text.end(), regex), end; match != end; ++match)
    found.insert((*match)[1]);
  return found;
}

/// One hostile text in every place where a text can appear.
SummarySource source_full_of(const std::string& bad)
{
  SummarySource source = tests::example_source();
  source.run.name = source.run.suite = source.run.options = source.run.started = source.run.suite_digest = bad;
  source.run.provenance = {bad, true, bad, bad, bad};
  source.subjects = {{1, bad, bad}};
  source.counts = {{1, bad, Verdict::fail, Outcome::as_is, 1}};
  source.titles = {{bad, bad}};
  source.classes = {{bad, bad, Verdict::crash, bad, bad, 2, 1, bad}};
  source.uses = {{bad, 1, bad, bad, bad, 0, 0}};
  source.excluded = {{bad, 1}};
  source.parts = {{bad, bad, 1, bad, bad, "2026-01-02T03:04:05Z", bad, 1}, {bad, bad, 1, bad, bad, bad, bad, 1}};
  source.unpromised_bits.assign(1, {});
  source.unpromised_bits[0].kernel = source.unpromised_bits[0].tensor = bad;
  return source;
}

/// One hostile text in every place where a page has a text.
PageContent page_full_of(const std::string& bad)
{
  PageContent content = tests::example_page();
  content.summary = summarize(source_full_of(bad));
  content.summary.executions = {{bad, bad, Verdict::fail, bad, 1}, {bad, bad, Verdict::skip, bad, 1}};
  content.summary.worst_ratios = {{bad, bad, bad, 1.5, 0.9, bad}};
  for (GraphFile& graph : content.files.graphs)
    graph.subject = graph.path = graph.reason = bad;
  content.changes.older_run = content.changes.older_started = bad;
  for (ChangedRows& group : content.changes.groups) {
    group.subject = group.check_id = group.detail = group.example_cell = bad;
    group.condition = bad;
    group.deciding = {{sim::Phase::forward, bad, bad, {bad, 1}}, {sim::Phase::forward, bad, bad, {bad, 1}}};
  }
  for (SubjectSupport& support : content.support) {
    support.subject = bad;
    support.head_dims.assign(support.head_dims.size(), bad);
    support.devices.assign(support.devices.size(), bad);
  }
  content.coverage = {{bad, bad, 2, 1, bad}};
  for (matrix::RunFigures& run : content.trend) {
    run.run.name = run.run.started = run.run.provenance.commit = run.database = bad;
    run.failures = {{bad, 1}};
  }
  content.matrix_json = matrix_json(tests::matrix_full_of(bad), content.summary.run, {{bad, bad, bad, {0}, {1}}});
  return content;
}

}  // namespace

TEST_CASE("html_escape shows every text as text")
{
  CHECK(html_escape("<b a=\"1\" c='2'>&amp;") == "&lt;b a=&quot;1&quot; c=&#39;2&#39;&gt;&amp;amp;");
  CHECK(html_escape("a\x01\xFF"
                    "b") ==
        "a\xEF\xBF\xBD\xEF\xBF\xBD"
        "b");
  CHECK(html_escape("abcdef", 3) == "ab…");
  CHECK(html_escape("&&&&", 3) == "&amp;&amp;…");  // cut before escaping, never inside an entity
  for (const std::string& text : tests::hostile_texts()) {
    const std::string escaped = html_escape(text);
    CHECK(escaped.find_first_of("<>\"'\n\x1b") == std::string::npos);
    CHECK(matrix::find_invalid_utf8(escaped) == std::string::npos);
    CHECK(escaped.size() <= 12000);
  }
}

TEST_CASE("the page is as it was, and the same each time")
{
  CHECK(written(tests::example_page()) == written(tests::example_page()));
  const std::string actual = without_embedded(written(tests::example_page()));
  CHECK(actual == tests::golden("index.html", actual));
}

TEST_CASE("the page of a clean run says so")
{
  const std::string text = page(tests::clean_source());
  CHECK(contains(text, "<section class=\"banner good\">"));
  CHECK(contains(text, "OK: no unexpected failure"));
  CHECK(contains(text, "No kernel was executed in this run"));
  CHECK(contains(text, "There is no earlier run of this suite"));
  CHECK(contains(text, "There is one run of this suite so far"));
}

TEST_CASE("an empty run has a page that does not look green")
{
  SummarySource empty;
  empty.run.finished = "2026-01-02T03:04:09Z";
  const std::string text = page(empty);
  CHECK(contains(text, "NOTHING RAN"));
  CHECK(contains(text, "<section class=\"banner bad\">"));
  CHECK(contains(text, "No check had anything to judge."));
}

TEST_CASE("the page loads nothing, and its links lead somewhere")
{
  const std::string text = without_embedded(written(tests::example_page()));
  const std::string loading = std::regex_replace(text, std::regex("<!--[^>]*-->"), "");
  CHECK(!contains(loading, "http:"));
  CHECK(!contains(loading, "https:"));
  CHECK(!contains(written(tests::example_page()), "@import"));
  CHECK(matches(text, "src=\"([^\"]*)\"") == std::set<std::string>{"graphs/model-fleet-d.svg"});
  const std::set<std::string> ids = matches(text, "id=\"([^\"]*)\"");
  for (const std::string& target : matches(text, "href=\"#([^\"?][^\"]*)\"")) {
    CAPTURE(target);
    CHECK(ids.contains(target));
  }
}

TEST_CASE("all that matters stands before the first script")
{
  const std::string text = written(tests::example_page());
  const std::string plain = text.substr(0, text.find("<script"));
  for (const std::string_view part :
       {"FAILED: 15", "Since the last run", "default-0", "I4", "flag_version=4 v4_available=no", "repro",
        "PTX is not SASS", "sm80", "12-14", "pass rate"})
    CHECK(contains(plain, part));
}

TEST_CASE("a database that is not beside the page is not linked")
{
  PageContent content = tests::example_page();
  CHECK(contains(written(content), "href=\"results.db\""));
  content.files.database = false;
  CHECK(!contains(written(content), "href=\"results.db\""));
}

TEST_CASE("hostile texts make no tag, no attribute and no broken byte of a page")
{
  const std::set<std::string> usual = matches(without_embedded(written(tests::example_page())), "<([a-z0-9]+)");
  for (const std::string& bad : tests::hostile_texts()) {
    const std::string whole = written(page_full_of(bad));
    CHECK(matrix::find_invalid_utf8(whole) == std::string::npos);
    const std::string text = without_embedded(whole);
    CHECK(!contains(text, "<img src=x"));
    CHECK(!contains(text, "\" onmouseover"));
    CHECK(!contains(text, "\x1b"));
    CHECK(text.size() < 600000);
    for (const std::string& tag : matches(text, "<([a-z0-9]+)"))
      CHECK(usual.contains(tag));
  }
}

TEST_CASE("a hostile command of an unfinished run is text where the page says how to go on")
{
  SummarySource source = tests::clean_source();
  source.run.finished.clear();
  source.run.exit_code = -1;
  source.run.options = "flashgate run --suite x";
  const std::set<std::string> usual = matches(without_embedded(page(source)), "<([a-z0-9]+)");
  for (const std::string& bad : tests::hostile_texts()) {
    source.run.options = "flashgate run --suite " + bad;
    const std::string text = without_embedded(page(source));
    CHECK(contains(text, "continue with: flashgate run --suite"));
    CHECK(matrix::find_invalid_utf8(text) == std::string::npos);
    CHECK(!contains(text, "\x1b"));
    CHECK(text.size() < 100000);
    CHECK(matches(text, "<([a-z0-9]+)") == usual);
  }
}

TEST_CASE("JUnit has a suite per subject, a case per check, and says why a case failed or was skipped")
{
  const std::string xml = junit_xml(summarize(tests::example_source()));
  CHECK(xml == tests::golden("junit.xml", xml));
  pugi::xml_document document;
  REQUIRE(document.load_string(xml.c_str()));
  const pugi::xml_node suites = document.child("testsuites");
  CHECK(suites.attribute("tests").as_int() == 5);
  CHECK(suites.attribute("failures").as_int() == 2);
  CHECK(suites.attribute("skipped").as_int() == 1);
  const pugi::xml_node failed = suites.find_child_by_attribute("testsuite", "name", "model:fleet-d")
                                    .find_child_by_attribute("testcase", "name", "I4: deterministic never lands on v3");
  CHECK(contains(failed.child("failure").text().get(), "repro 'rr_flashmask/flag_version=4,deterministic=on"));
  CHECK(!contains(failed.child("failure").text().get(), "head_dim>128"));
  CHECK(contains(failed.child("system-out").text().get(), "head_dim>128"));
}

TEST_CASE("JUnit of a run that says nothing, or is not complete, is not green")
{
  SummarySource empty;
  CHECK(contains(junit_xml(summarize(empty)), "failures=\"1\""));
  SummarySource interrupted = tests::clean_source();
  CHECK(contains(junit_xml(summarize(interrupted)), "failures=\"0\""));
  interrupted.run.finished.clear();
  interrupted.run.exit_code = -1;
  CHECK(contains(junit_xml(summarize(interrupted)), "INCOMPLETE"));
}

TEST_CASE("JUnit stays well-formed whatever a text holds")
{
  for (const std::string& bad : tests::hostile_texts()) {
    const std::string xml = junit_xml(summarize(source_full_of(bad)));
    pugi::xml_document document;
    CHECK(document.load_buffer(xml.data(), xml.size()));
    CHECK(matrix::find_invalid_utf8(xml) == std::string::npos);
    CHECK(!contains(xml, "\x1b"));
    CHECK(!contains(xml, "&#"));
  }
}

}  // namespace flashgate::reports
