#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "gpu/emulator/program.h"

namespace flashgate::gpu::mutation {

/// One instruction of one kernel changed.
struct Mutant
{
  std::string module;  ///< "v2_forward_d32"
  std::string entry;   ///< "v2_forward_bf16_d32"
  std::string rule;    ///< MutationRule::name
  int line = 0;        ///< of the module's text, from 1
  std::string before;  ///< the instruction
  std::string after;   ///< what takes its place; empty: nothing
  std::string source;  ///< the line of CUDA C++ that the instruction came from, trimmed
  std::string place;   ///< "softmax.cuh:71 < v2_forward.cuh:107"
};

/// The mutants of a kernel, in the order of the rules and then of the text. Rules that don't take every line take one
/// instruction per place in the source (a chain of inlined calls), drawn by `seed`; with `all` they take every one.
/// REQUIRES: `program` is the entry decoded from `text`.
std::vector<Mutant> make_mutants(const std::string& module, const std::string& text, const Program& program,
                                 std::uint64_t seed, bool all);

/// The module's text with the mutant in it; all other lines keep their numbers.
std::string mutated_text(const std::string& text, const Mutant& mutant);

/// "v2_forward_bf16_d32: barrier removed: `bar.sync 0;` -> ``, from `__syncthreads();` at ..."
std::string describe(const Mutant& mutant);

}  // namespace flashgate::gpu::mutation
