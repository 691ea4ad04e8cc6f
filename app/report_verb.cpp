#include <filesystem>
#include <iostream>

#include <fmt/format.h>

#include "app/command_line.h"
#include "app/database_reference.h"
#include "reports/report.h"

namespace flashgate::app {

int report_verb(const CommandLine& line)
{
  OpenedRun opened = open_run(line.database);
  const std::filesystem::path folder = line.output;
  for (const std::string& problem : reports::write_report(opened.store, opened.run, folder))
    std::cerr << "flashgate: " << problem << '\n';
  std::cout << fmt::format("report of run {}: {}\n", opened.run.name, (folder / "index.html").string());
  return 0;
}

}  // namespace flashgate::app
