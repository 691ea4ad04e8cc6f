#include <filesystem>
#include <iostream>

#include <fmt/format.h>

#include "app/command_line.h"
#include "app/database_reference.h"
#include "matrix/texts.h"
#include "reference/error.h"
#include "reports/dispatch_graph.h"
#include "reports/render_svg.h"
#include "reports/whole_file.h"

namespace flashgate::app {
namespace {

reports::DispatchGraph graph_of(OpenedRun& opened, const std::string& subject)
{
  std::string known;
  for (const matrix::SubjectRecord& record : opened.store.subjects(opened.run.id)) {
    if (record.name == subject) return reports::build_graph(opened.store.routes(opened.run.id, record.id));
    known += (known.empty() ? "" : ", ") + record.name;
  }
  throw Error(fmt::format("run {} has no subject '{}', expected one of {}", opened.run.name, matrix::printable(subject),
                          known));
}

void write_graph(std::ostream& dot, OpenedRun& opened, const CommandLine& line)
{
  const reports::DispatchGraph graph = graph_of(opened, line.subject);
  if (line.against.empty())
    reports::write_dot(dot, graph, fmt::format("{}, run {}", line.subject, opened.run.name));
  else
    reports::write_diff_dot(dot, graph_of(opened, line.against), graph, line.against, line.subject);
}

}  // namespace

int graph_verb(const CommandLine& line)
{
  const std::filesystem::path output = line.output;
  const bool as_svg = output.extension() == ".svg";
  if (!as_svg && output.extension() != ".dot")
    throw Error(line.output + ": expected a file name ending in .dot or .svg");
  OpenedRun opened = open_run(line.database);
  std::filesystem::path dot_file = output;
  dot_file.replace_extension(".dot");
  reports::write_whole_file(dot_file, [&](std::ostream& dot) { write_graph(dot, opened, line); });
  if (!as_svg) return 0;
  const reports::Rendering rendering = reports::render_svg(dot_file, output);
  if (!rendering.reason.empty()) std::cerr << "flashgate: " << rendering.reason << '\n';
  if (!rendering.done) throw Error(fmt::format("{} was not drawn; {} is there", line.output, dot_file.string()));
  return 0;
}

}  // namespace flashgate::app
