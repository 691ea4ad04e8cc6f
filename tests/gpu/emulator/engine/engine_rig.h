#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "gpu/emulator/launch.h"
#include "gpu/emulator/loaded_module.h"

namespace flashgate::gpu {

/// What a run left behind.
struct Outcome
{
  std::vector<std::uint32_t> out;
  LaunchResult result;
  std::string printed;
  std::shared_ptr<const Program> program;

  /// The names of the findings' checks, each once, in alphabetical order: "barrier-exit hang".
  std::string checks() const;
  /// The first finding of that check, which must exist.
  const Finding& finding(Check check) const;
  /// Its detail, or "" if there is none.
  std::string detail(Check check) const;
};

/// A kernel written by hand around one buffer, `out`: a zero for each thread of the launch. Before `body` the registers
/// %r<40>, %rd<20>, %p<10>, %f<10> are declared, and %r0 = %tid.x, %r1 = the thread's number in the launch, %rd0 = out,
/// %rd1 = &out[%r1]. After it, out[%r1] = %r2 unless `body` has returned. Lines are counted in body_line().
struct EngineRig
{
  std::string declarations;  ///< of the module: functions and variables
  std::string body;
  Dim3 grid;
  Dim3 block{32, 1, 1};
  std::uint32_t dynamic_shared_bytes = 0;
  bool cooperative = false;
  bool checked = true;
  std::string directives;  ///< of the entry: ".maxntid 64, 1, 1"
  ExecutionOptions options;

  std::string text() const;
  /// The PTX line of line `line` (from 1) of the body.
  int body_line(int line) const;
  Outcome run() const;
};

/// A rig with declarations of its own, for tables of bodies.
EngineRig rig(std::string body, std::uint32_t threads = 32);

}  // namespace flashgate::gpu
