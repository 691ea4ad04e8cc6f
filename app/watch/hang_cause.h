#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "sim/process/process_state.h"

namespace flashgate::app {

/// Why nothing moves, as far as states and stacks tell.
enum class HangCause : std::uint8_t { collective, lock, busy_loop, input_output, sleep, child_process, unknown };

/// "waiting in a collective".
std::string_view cause_text(HangCause cause);
/// What to look at next.
std::string_view cause_suggestion(HangCause cause);

/// The likely cause. `before` and `after` are the same processes, observed at two moments; `stacks` all functions that
/// were seen in them. A rank that waits for others may spin or sleep in a lock, so a collective's name decides first;
/// then a thread that used processor time all along; then the system call in which the innermost process's first thread
/// waits, as idle pools of threads wait for locks in healthy programs too.
HangCause likely_cause(const std::vector<sim::ProcessState>& before, const std::vector<sim::ProcessState>& after,
                       double seconds_between, const std::string& stacks);

}  // namespace flashgate::app
