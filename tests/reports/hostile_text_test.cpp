// Whatever a subject says, no report passes on a character that steers a terminal, a parser or the reader's eye.
#include <functional>
#include <sstream>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "matrix/texts.h"
#include "reference/shown_character.h"
#include "reports/dispatch_graph.h"
#include "reports/dot_text.h"
#include "reports/gate_writers.h"
#include "reports/html_escape.h"
#include "reports/junit.h"
#include "reports/markdown_text.h"
#include "reports/summary_markdown.h"
#include "reports/summary_text.h"
#include "sim/process/plain_line.h"
#include "tests/reports/example_run.h"
#include "tests/reports/gate_example.h"

namespace flashgate::reports {
namespace {

struct Writer
{
  std::string name;
  std::function<std::string(const std::string&)> write;
};

RunSummary summary_of(const std::string& text)
{
  SummarySource source = tests::example_source();
  source.run.name = source.run.suite = text;
  source.run.options = "flashgate run --suite " + text;
  source.run.finished.clear();  // what is not finished says the command that goes on
  source.parts = {{text, text, 1}};
  source.subjects.push_back({static_cast<std::int64_t>(source.subjects.size()) + 1, text, text});
  source.counts.push_back({source.subjects.back().id, text, matrix::Verdict::fail, matrix::Outcome::as_is, 1});
  source.classes.push_back({text, text, matrix::Verdict::crash, text, text, 1, 1, text});
  source.uses.push_back({text, 1, text, text, text, 0, 0});
  source.excluded[text] = 1;
  return summarize(source);
}

std::string text_of(const RunSummary& summary)
{
  std::ostringstream out;
  write_text(out, summary);
  return out.str();
}

std::string graph_of(const std::string& text)
{
  using sim::Phase;
  std::ostringstream out;
  write_dot(out,
            build_graph({tests::route({{Phase::forward, text, text}, {Phase::none, text, text}}, text, 1,
                                      matrix::Verdict::fail, text)}),
            text);
  return out.str();
}

std::vector<Writer> writers()
{
  std::vector<Writer> all{
      {"messages", [](const std::string& text) { return matrix::printable(text); }},
      {"plans", [](const std::string& text) { return sim::plain_line(text, 500); }},
      {"HTML", [](const std::string& text) { return html_escape(text); }},
      {"DOT", graph_of},
      {"code span", [](const std::string& text) { return code_span(text, true); }},
      {"code block", [](const std::string& text) { return code_block(text, ""); }},
      {"summary, text", [](const std::string& text) { return text_of(summary_of(text)); }},
      {"summary, Markdown", [](const std::string& text) { return markdown_summary(summary_of(text)); }},
      {"summary, JUnit", [](const std::string& text) { return junit_xml(summary_of(text)); }},
  };
  for (const GateFormat& format : gate_formats())
    all.push_back({"gate, " + std::string(format.name),
                   [&format](const std::string& text) { return format.write(tests::hostile_gate(text)); }});
  return all;
}

/// The offset of the first byte that is no shown character and no line feed; npos if there is none.
std::size_t find_hidden(std::string_view text)
{
  for (std::size_t at = 0; at < text.size();) {
    const reference::Utf8Character character = reference::first_character(text.substr(at));
    const bool fine = character.length != 0 && (character.code == '\n' || reference::is_shown(character.code));
    if (!fine) return at;
    at += character.length;
  }
  return std::string::npos;
}

TEST_CASE("no format passes on a character that does not show itself")
{
  REQUIRE(tests::hostile_texts().size() >= 30);
  for (const Writer& writer : writers())
    for (const std::string& text : tests::hostile_texts()) {
      if (text.size() > 100'000) continue;
      CAPTURE(writer.name);
      CAPTURE(matrix::printable(text));
      CHECK(find_hidden(writer.write(text)) == std::string::npos);
    }
}

TEST_CASE("the test would see a hidden character")
{
  for (const char* text : {"\x1b[0m", "\u202E", "\u2066", "\u200B", "\uFEFF", "\u0085", "\u2028", "\xFF"})
    CHECK(find_hidden(std::string("before ") + text + " after") == 7);
  CHECK(find_hidden("plain ünïcode ✓ 😀 日本語\n") == std::string::npos);
}

}  // namespace
}  // namespace flashgate::reports
