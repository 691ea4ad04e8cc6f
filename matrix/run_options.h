#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace flashgate::matrix {

/// What a run is to do; the defaults are those of the command line.
struct RunOptions
{
  std::string suites_folder;
  std::string suite = "default";
  std::vector<std::string> subjects;  ///< empty: every built-in one
  std::string database;               ///< file to create, or to append the run to
  std::string include;                ///< regular expression on cell names; empty: every cell
  std::string exclude;                ///< regular expression on cell names; empty: none
  std::string shard;                  ///< "I/N"; empty: all
  std::string durations;              ///< database whose times balance the shards; empty: shards by hash
  std::string command_line;           ///< for the record
  std::int64_t seed = 1;              ///< for the record and for inputs drawn at random
  std::string backend;                ///< where kernels run; empty: as the suite says, or the best there is
  std::string evidence;               ///< "L1" or "L2" for all executions; empty: as the suite says
  std::vector<std::string> worker;    ///< program of the workers that execute; empty: executions run on threads
  std::string logs;                   ///< folder for the evidence of crashes and hangs; empty: the database alone
  double timeout_seconds = 0;         ///< longest time without progress of an execution; 0: as the suite says
  int jobs = 0;                       ///< threads that judge cells, and workers; 0: one per processor
  std::int64_t max_failures = 0;      ///< stop after so many unexpected failures; 0: never
  double deadline_seconds = 0;        ///< stop after so long; 0: never
  bool resume = false;                ///< continue the suite's last run
  bool with_expectations = true;
};

}  // namespace flashgate::matrix
