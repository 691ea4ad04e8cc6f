#pragma once

#include <cstddef>
#include <iosfwd>
#include <string>
#include <vector>

#include "sim/checkout/git_repository.h"

namespace flashgate::app {

/// A commit that could not be asked, and why.
struct SkippedCommit
{
  sim::Commit commit;
  std::string reason;
};

/// What a bisection found. Texts of the checkout are as they came; the writers escape them.
struct BisectReport
{
  sim::Commit first_bad;  ///< the oldest commit known to be bad
  sim::Commit last_good;  ///< the newest one known to be good
  std::string cell;
  std::string check_id, detail;  ///< what fails on it
  std::string before, after;     ///< its route at last_good and at first_bad
  std::string decided_by;        ///< the decision at which the two part
  std::size_t asked = 0;         ///< commits
  std::size_t commits = 0, cells = 0;
  std::vector<sim::Commit> suspects;  ///< skipped commits between the two: one of them may be the first bad one
  std::vector<SkippedCommit> skipped;
};

/// "0123456789ab Subject of the commit", fit to be shown.
std::string commit_line(const sim::Commit& commit);

void write_bisect_text(std::ostream& out, const BisectReport& report);
void write_bisect_json(std::ostream& out, const BisectReport& report);

}  // namespace flashgate::app
