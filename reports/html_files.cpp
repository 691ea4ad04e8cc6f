#include <ostream>

#include <fmt/format.h>

#include "reports/html_escape.h"
#include "reports/html_parts.h"
#include "reports/plain_text.h"

namespace flashgate::reports {
namespace {

void write_fact(std::ostream& out, std::string_view name, std::string_view value)
{
  out << fmt::format("<dt>{}</dt><dd>{}</dd>\n", name, value.empty() ? "–" : html_escape(value));
}

/// Where the shards of a merged run come from.
void write_parts(std::ostream& out, const std::vector<matrix::RunPart>& parts)
{
  out << "<div class=\"scroll\"><table>\n<thead><tr><th scope=\"col\">shard</th><th scope=\"col\">cells</th>"
         "<th scope=\"col\">started</th><th scope=\"col\">finished</th><th scope=\"col\">exit code</th>"
         "<th scope=\"col\">machine</th><th scope=\"col\">command</th></tr></thead>\n<tbody>\n";
  for (const matrix::RunPart& part : parts)
    out << fmt::format(
        "<tr><td>{}</td><td class=\"number\">{}</td><td>{}</td><td>{}</td><td class=\"number\">{}</td><td>{}</td>"
        "<td><code>{}</code></td></tr>\n",
        html_escape(part.shard, 40), group_digits(part.selected), html_escape(part.started, 40),
        html_escape(part.finished, 40), part.exit_code, html_escape(part.machine, 200), html_escape(part.options));
  out << "</tbody></table></div>\n";
}

}  // namespace

void write_files(std::ostream& out, const PageFiles& files)
{
  out << "<h2 id=\"files\">Files</h2>\n<dl class=\"facts\">\n";
  if (files.database)
    out << "<dt><a href=\"results.db\">results.db</a></dt><dd>everything, as SQLite; view <code>failures</code> "
           "first</dd>\n";
  out << "<dt><a href=\"failures.csv\">failures.csv</a></dt><dd>every failure that no expectation covers, flakes too, "
         "with its axis values</dd>\n"
         "<dt><a href=\"junit.xml\">junit.xml</a></dt><dd>a suite per subject, a case per check</dd>\n"
         "<dt><a href=\"summary.md\">summary.md</a></dt><dd>this page as Markdown</dd>\n</dl>\n";
}

void write_provenance(std::ostream& out, const RunSummary& summary)
{
  const matrix::RunRecord& run = summary.run;
  const matrix::Provenance& from = run.provenance;
  out << "<h2 id=\"run\">Run</h2>\n<dl class=\"facts\">\n";
  write_fact(out, "run", run.name);
  write_fact(out, "suite", run.suite + (run.with_expectations ? "" : ", without expectations"));
  write_fact(out, "suite digest", run.suite_digest);
  write_fact(out, "command", run.options);
  write_fact(out, "seed", std::to_string(run.seed));
  write_fact(out, "started", run.started);
  write_fact(out, "finished", run.finished.empty() ? "not yet: the run is incomplete" : run.finished);
  write_fact(out, "exit code", run.exit_code < 0 ? "none yet" : std::to_string(run.exit_code));
  write_fact(out, "flashgate", from.commit + (from.dirty ? ", with uncommitted changes" : ""));
  write_fact(out, "compiler", from.compiler + (from.build_type.empty() ? "" : ", " + from.build_type));
  write_fact(out, "machine", from.machine);
  out << "</dl>\n";
  if (!summary.parts.empty() && !summary.parts.front().started.empty()) write_parts(out, summary.parts);
}

}  // namespace flashgate::reports
