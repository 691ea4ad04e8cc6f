#pragma once

#include <string_view>

namespace flashgate::matrix {

/// Says what this process is about to do ("oracle", "run 2 of 6"), so that whoever watches it knows where it hangs, and
/// that it moves. Costs next to nothing where nobody listens. Any thread.
void enter_stage(std::string_view stage);

/// Called by enter_stage() from then on, on its thread. One per process; nullptr: nobody.
using StageListener = void (*)(std::string_view stage);
void listen_to_stages(StageListener listener);

}  // namespace flashgate::matrix
