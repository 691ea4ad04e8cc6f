#pragma once

#include <string>

#include "app/watch/hang_cause.h"
#include "app/watch/python_hooks.h"
#include "sim/process/child_process.h"

namespace flashgate::app {

/// What a process tree looked like when nothing moved any more.
struct HangEvidence
{
  HangCause cause = HangCause::unknown;
  std::string states;         ///< /proc: every process and thread
  std::string python_stacks;  ///< what faulthandler wrote; empty without Python
  std::string native_stacks;  ///< what eu-stack saw, or why it saw nothing

  /// All of it, for a log.
  std::string text() const;
};

/// Looks at the tree while it hangs, within two seconds however large it is: first /proc, which always answers, then
/// the Python stacks, then native ones, the innermost processes first, as many as the time allows.
HangEvidence look_at(const sim::ChildProcess& child, PythonHooks& hooks);

}  // namespace flashgate::app
