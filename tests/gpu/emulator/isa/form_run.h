#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <random>
#include <span>
#include <string>
#include <vector>

#include "gpu/emulator/isa/core.h"
#include "gpu/emulator/isa/form.h"
#include "gpu/emulator/isa/instruction.h"

namespace flashgate::gpu::isa {

/// One instruction with registers of its own: operand k of operands(form) lies in slot k. Values are bits,
/// zero-extended.
class FormRun
{
 public:
  explicit FormRun(const Form& form);

  std::uint64_t value(int operand, int lane) const;
  void set(int operand, int lane, std::uint64_t bits);
  LaneMask predicate(int operand) const { return predicates_[static_cast<std::size_t>(operand)]; }
  void set_predicate(int operand, LaneMask bits) { predicates_[static_cast<std::size_t>(operand)] = bits; }

  /// Fills all operands, destinations too, with values that are interesting to integers and to floating types.
  void randomise(std::mt19937_64& random);

  void run(Core core, LaneMask mask = kAllLanes);

  const std::vector<Operand>& list() const { return operands_; }
  Instruction& instruction() { return instruction_; }
  bool same_registers(const FormRun& other) const;

 private:
  Form form_;
  std::vector<Operand> operands_;
  std::vector<std::uint64_t> values_;  ///< 32 words per operand; aligned by hand in run()
  std::vector<LaneMask> predicates_;
  Instruction instruction_;
};

/// Bits of `bytes` bytes: limits, special floating values of that width, small numbers and noise.
std::uint64_t interesting_value(std::mt19937_64& random, int bytes);

/// The cores this machine can run; says once which ones it cannot.
const std::vector<Core>& available_cores();

/// True if the cores have a handler for it.
bool is_supported(const Form& form);

/// What one lane of the destination holds, given the sources of that lane (a predicate source is 0 or 1).
using Reference = std::function<std::uint64_t(std::span<const std::uint64_t>)>;

/// Runs a form with one destination on all available cores, many times, and compares every lane with the formula.
/// Sources are interesting_value()s, or those that `draw` gives.
void check_form(const Form& form, const Reference& reference, int rounds = 40,
                const std::function<std::uint64_t(std::mt19937_64&, int bytes)>& draw = interesting_value);

}  // namespace flashgate::gpu::isa
