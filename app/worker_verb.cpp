#include "app/worker_verb.h"

#include "app/backend_table.h"
#include "app/command_line.h"
#include "matrix/isolation/worker.h"
#include "sim/process/child_process.h"

namespace flashgate::app {

std::vector<std::string> worker_command()
{
  sim::adopt_orphans();
  return {"/proc/self/exe", "worker"};
}

int worker_verb(const CommandLine& line) { return matrix::serve_executions(line.supervisor, make_backend); }

}  // namespace flashgate::app
