#include "example_run.h"

#include <cstdlib>
#include <fstream>
#include <sstream>

namespace flashgate::tests {

using matrix::Outcome;
using matrix::Verdict;
using sim::Phase;

matrix::RouteRow route(const std::vector<Step>& steps, std::string_view end, std::int64_t plans, Verdict worst,
                       std::string_view example)
{
  matrix::RouteRow row;
  for (const Step& step : steps)
    row.steps.push_back({step.phase, sim::Symbol(step.decision), sim::Symbol(step.outcome)});
  row.end = end;
  row.plans = plans;
  row.worst = worst;
  row.example_cell = example;
  return row;
}

std::vector<matrix::RouteRow> faulty_routes()
{
  return {
      route({{Phase::forward, "v4 missing", "no"},
             {Phase::forward, "launches", "v4"},
             {Phase::backward, "launches", "v4"}},
            "v4 / v4", 1000, Verdict::pass, "rr_flashmask/flag_version=4,device=sm100"),
      route({{Phase::forward, "v4 missing", "yes"},
             {Phase::forward, "launches", "v3"},
             {Phase::backward, "launches", "v3"}},
            "v3 / v3", 100, Verdict::fail, "rr_flashmask/flag_version=4,deterministic=on,head_dim=192"),
      route({{Phase::forward, "v4 missing", "no"}, {Phase::forward, "raises", "ValueError"}}, "fwd ValueError", 7,
            Verdict::not_supported, "rr_flashmask/flag_version=5"),
      route({{Phase::import, "raises", "ImportError"}}, "import ImportError", 1, Verdict::hang,
            "cp_flashmask/flag_version=4,rank_skew=rank0_only"),
  };
}

std::vector<matrix::RouteRow> repaired_routes()
{
  std::vector<matrix::RouteRow> routes = faulty_routes();
  routes.erase(routes.begin() + 1);
  routes.push_back(route({{Phase::forward, "v4 missing", "yes"},
                          {Phase::forward, "deterministic", "yes"},
                          {Phase::forward, "launches", "v2"},
                          {Phase::backward, "launches", "v2"}},
                         "v2 / v2", 77, Verdict::pass, "rr_flashmask/flag_version=4,deterministic=on,head_dim=192"));
  routes.push_back(route({{Phase::forward, "v4 missing", "yes"},
                          {Phase::forward, "deterministic", "no"},
                          {Phase::forward, "launches", "v3"},
                          {Phase::backward, "launches", "v3"}},
                         "v3 / v3", 23, Verdict::pass, "rr_flashmask/flag_version=4"));
  return routes;
}

namespace {

matrix::RunRecord example_record()
{
  matrix::RunRecord run;
  run.id = 1;
  run.name = "default-1";
  run.suite = "default";
  run.suite_digest = "0123456789abcdef";
  run.options = "flashgate run --suite default";
  run.seed = 1;
  run.provenance = {"0123456789ab", true, "GNU 12.2.0", "Release", "Linux, x86_64, 2 cores"};
  run.started = "2026-01-02T03:04:05Z";
  run.finished = "2026-01-02T03:04:09Z";
  run.exit_code = 1;
  run.selected = 2400;
  return run;
}

std::vector<matrix::FailureClass> example_classes()
{
  return {
      {"model:fleet-d", "I4", Verdict::fail, "flag_version=4 v4_available=no deterministic=on head_dim>128",
       "forward v3, expected v2", 77, 0, "rr_flashmask/flag_version=4,v4_import=no,deterministic=on,head_dim=192"},
      {"model:fleet-d", "I4", Verdict::fail, "flag_version=4 v4_available=no deterministic=on signature=legacy",
       "forward v3, expected v2", 30, 12, "rr_flashmask/flag_version=4,deterministic=on,signature=legacy"},
      {"model:fleet-d", "I10", Verdict::hang, "rank_skew=rank0_only", "rank 0 waits in alltoall(dK)", 3, 3,
       "cp_flashmask/flag_version=4,device=sm100,rank_skew=rank0_only"},
  };
}

}  // namespace

reports::SummarySource example_source()
{
  reports::SummarySource source;
  source.run = example_record();
  source.subjects = {{1, "model:fleet-d", "after #1396"}, {2, "model:effective-first", "the clean control"}};
  source.counts = {
      {1, "I10", Verdict::pass, Outcome::as_is, 900}, {1, "I10", Verdict::hang, Outcome::as_is, 3},
      {1, "I4", Verdict::pass, Outcome::as_is, 800},  {1, "I4", Verdict::fail, Outcome::expected_fail, 95},
      {1, "I4", Verdict::fail, Outcome::as_is, 12},   {1, "I2", Verdict::warn, Outcome::as_is, 4},
      {2, "I4", Verdict::pass, Outcome::as_is, 1200}, {2, "I10", Verdict::not_supported, Outcome::as_is, 40}};
  source.classes = example_classes();
  source.uses = {{"default-fails.txt", 3, "check=I4 subject=model:fleet-d", "seed bug 1", "used", 77, 77},
                 {"default-fails.txt", 4, "check=I6 subject=model:fleet-d", "fixed meanwhile", "unexpected", 9, 0},
                 {"default-fails.txt", 5, "check=I6 subject=model:fleet-x", "", "not_applicable", 0, 0}};
  source.excluded = {{"rank skew needs a context-parallel path", 1200}, {"no mask columns without a mask", 30}};
  source.titles = {{"I2", "backward's argument layout fits"}, {"I4", "deterministic never lands on v3"}};
  return source;
}

reports::SummarySource clean_source()
{
  reports::SummarySource source = example_source();
  source.run.exit_code = 0;
  source.counts = {{1, "I4", Verdict::pass, Outcome::as_is, 800}, {1, "I4", Verdict::fail, Outcome::expected_fail, 77}};
  source.classes.resize(1);
  source.uses.resize(1);
  return source;
}

const std::vector<std::string>& hostile_texts()
{
  static const std::vector<std::string> texts{"<script>alert(1)</script>",
                                              "</style></title><img src=x onerror=alert(1)>",
                                              "\" onmouseover=\"alert(1)",
                                              "' x='",
                                              "a & b &amp; &lt; &#60;",
                                              "]]> <!-- -->",
                                              "line\nbreak\r\n\ttab",
                                              std::string("nul\0byte", 8),
                                              "\x1b[31mred\x1b[0m",
                                              "\xC2\x9B"
                                              "31m",
                                              "broken \xFF\xC3(\xE2\x82 utf-8 \xF0\x9F",
                                              "\xED\xA0\x80 surrogate",
                                              "\xEF\xBF\xBF \xEF\xBF\xBE",
                                              "quote \" back\\slash \\",
                                              "\\N \\G \\l \\n",
                                              "] ; } digraph {",
                                              "| pipe ` tick `` ticks |",
                                              "[link](http://example.org) @someone #1",
                                              "\xE2\x80\xAE"
                                              "right to left",
                                              "\u202Aembedded\u202B \u202Doverride\u202C",
                                              "isolates \u2066left \u2067right \u2068first\u2069",
                                              "zero\u200Bwidth\u200Cnon\u200Djoiner\uFEFF\u2060",
                                              "marks \u200E\u200F\u061C, soft\u00ADhyphen",
                                              "lines\u2028and\u2029paragraphs",
                                              "tags \U000E0041\U000E007F, no character \U0001FFFE",
                                              "'; rm -rf ~ #",
                                              "$(reboot) `reboot`",
                                              "=cmd|' /C calc'!A0",
                                              "../../etc/passwd",
                                              "-o",
                                              " ",
                                              "",
                                              "\x7F\x01\x1F",
                                              "%s%n%d {} {0}",
                                              "emoji \xF0\x9F\x98\x80",
                                              "<HTML-like>",
                                              "ends in \\",
                                              std::string(1000000, 'x'),
                                              std::string(50000, '\xFF')};
  return texts;
}

std::string read_file(const std::filesystem::path& path)
{
  std::ifstream in(path, std::ios::binary);
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

std::string golden(const std::string& name, const std::string& actual)
{
  const std::filesystem::path path = std::filesystem::path(FLASHGATE_SOURCE_DIR) / "tests" / "golden" / name;
  if (std::getenv("FLASHGATE_UPDATE_GOLDEN") != nullptr) std::ofstream(path, std::ios::binary) << actual;
  return read_file(path);
}

}  // namespace flashgate::tests
