#pragma once

#include <string>

#include "matrix/store.h"

namespace flashgate::app {

/// A run in an open database.
struct OpenedRun
{
  matrix::Store store;
  matrix::RunRecord run;
};

/// Opens "FILE.db" (its last run) or "FILE.db#RUN" for reading. Throws Error if there is no such file or run.
OpenedRun open_run(const std::string& reference);

}  // namespace flashgate::app
