#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "matrix/run_options.h"

namespace flashgate::app {

struct CommandLine;

/// A sub-command. The table in command_line.cpp is the only list of them: help, parsing and completion come from it.
struct Verb
{
  const char* name;
  const char* summary;
  const char* example;             ///< nullptr: not for people, so neither help nor completion shows the verb
  int (*run)(const CommandLine&);  ///< returns the exit code; throws Error
};

/// What `emulate` runs, and how.
struct EmulateOptions
{
  std::vector<std::string> command;  ///< the program and its arguments
  std::string checks;                ///< empty: all
  std::string arch = "sm_80";
  std::string report;  ///< file for the report as JSON; empty: none
  int schedules = 1;
  int sms = 4;
  double memory_gib = 8;
  std::uint64_t budget = 0;  ///< warp instructions per launch; 0: the emulator's own limit
};

/// What `watch` runs.
struct WatchOptions
{
  std::vector<std::string> command;  ///< the program and its arguments
  std::string label;                 ///< empty: the program's file name
  double timeout_seconds = 300;      ///< longest time in which nothing moves
};

/// What a gate compares, and how it tells.
struct GateOptions
{
  std::string base, head, dev;  ///< FILE.db, FILE.db#RUN, last, a subject, PATH@REF; dev may be empty
  std::string suite;            ///< empty: that of the databases, or dispatch
  std::string format = "text";
  std::string file;            ///< where the format goes; empty: standard output
  double least_coverage = -1;  ///< per cent of the patch's lines; negative: not asked for
};

/// Which commit a bisection looks for.
struct BisectOptions
{
  std::string repository;
  std::string good, bad;  ///< refs
  std::string check;      ///< empty: any
};

/// What the user asked for, all verbs' options in one place; defaults as in --help.
struct CommandLine
{
  const Verb* verb = nullptr;
  int exit_code = 0;  ///< if there is no verb to run (help was printed, usage was wrong)

  matrix::RunOptions run;
  EmulateOptions emulate;
  WatchOptions watch;
  GateOptions gate;
  BisectOptions bisect;
  std::string output;    ///< folder of a run's or a gate's reports, or file of a graph
  std::string what;      ///< list: axes, suites, ...; completion: the shell
  std::string cell;      ///< explain, repro
  std::string database;  ///< graph: the database to read, perhaps with #RUN; merge, migrate, prune: to write
  std::vector<std::string> databases;  ///< report: likewise, one or more; merge: what is put together
  std::int64_t keep = 0;               ///< prune
  std::string against;                 ///< graph: the other subject
  std::string subject;                 ///< graph
  std::string device;                  ///< doctor --dispatch: the device to ask about
  int supervisor = 0;                  ///< worker: the process that it works for
  bool count = false;
  bool json = false;
  bool dry_run = false;
  bool dispatch = false;
};

/// Parses the arguments. Prints help or a usage error itself; then `verb` is nullptr and `exit_code` says how to end.
CommandLine parse_command_line(int argc, const char* const* argv);

/// A completion script for "bash" or "zsh", made from the verbs and their options. Throws Error for another shell.
std::string completion_script(const std::string& shell);

// The verbs, each in its own file.
int run_verb(const CommandLine& line);
int list_verb(const CommandLine& line);
int explain_verb(const CommandLine& line);
int repro_verb(const CommandLine& line);
int graph_verb(const CommandLine& line);
int report_verb(const CommandLine& line);
int gate_verb(const CommandLine& line);
int bisect_verb(const CommandLine& line);
int doctor_verb(const CommandLine& line);
int emulate_verb(const CommandLine& line);
int merge_verb(const CommandLine& line);
int migrate_verb(const CommandLine& line);
int prune_verb(const CommandLine& line);
int expectations_verb(const CommandLine& line);
int watch_verb(const CommandLine& line);
int completion_verb(const CommandLine& line);
int worker_verb(const CommandLine& line);

}  // namespace flashgate::app
