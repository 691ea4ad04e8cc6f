// The worker of the fault-injection tests: executes like any other, until it meets the case that it is to break on.
#include <cstdlib>

#include "matrix/isolation/worker.h"
#include "tests/isolation/saboteur_backend.h"

int main(int argc, char** argv)
{
  return flashgate::matrix::serve_executions(std::atoi(argv[argc - 1]), flashgate::matrix::make_saboteur);
}
