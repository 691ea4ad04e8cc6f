#pragma once

#include <optional>
#include <string>

#include "sim/dispatch/request.h"

namespace flashgate::app {

/// First line that a program prints; empty if it isn't installed, fails, or takes longer than ten seconds. `arguments`
/// is a fixed text of ours, never something a user gave.
std::optional<std::string> first_line_of(const std::string& arguments);

/// What a dispatcher would see on this machine.
struct MachineView
{
  std::optional<sim::Device> device;  ///< empty: no GPU that flashgate knows
  std::string device_text;            ///< how it was found, or what is missing
  bool v4_imports = false;
  sim::VersionSettings flags;  ///< from the environment's FLAGS_*, else their defaults
};

/// Looks: nvidia-smi for the device, python3 for the v4 package, the environment for the flags.
MachineView look_at_machine();

}  // namespace flashgate::app
