#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "matrix/backend_factory.h"
#include "matrix/reference_backend.h"

namespace flashgate::matrix {

/// A way in which a worker breaks, and what its supervisor must make of it.
struct Sabotage
{
  std::string_view name;
  std::string_view what;   ///< what the worker does
  Verdict verdict;         ///< of the case that did it
  std::string_view check;  ///< empty for a pass
  Outcome outcome;
  std::string_view says;     ///< part of the finding's line
  std::string_view scene;    ///< part of the incident
  void (*act)();             ///< in the worker, in the middle of the execution
  bool by_deadline = false;  ///< nothing but the deadline tells
};
std::span<const Sabotage> sabotages();

/// Cases of this seed are sabotaged; all others are executed as the oracle rounds.
inline constexpr std::uint32_t kVictimSeed = 666;

/// Where a saboteur that breaks once notes that it has; a file's name in this variable of the environment.
inline constexpr const char* kOnceVariable = "FLASHGATE_TEST_ONCE";

/// The reference backend under the sabotage's name, with its fault in it. Supervisor and worker have one each.
class SaboteurBackend : public ReferenceBackend
{
 public:
  explicit SaboteurBackend(const Sabotage& sabotage) : sabotage_(sabotage) {}

  std::string name() const override { return std::string(sabotage_.name); }
  void run(const KernelCall& call, KernelOutputs& outputs) const override;

 private:
  const Sabotage& sabotage_;
};

/// Makes the backend of that name.
std::unique_ptr<Backend> make_saboteur(const BackendRequest& request);

}  // namespace flashgate::matrix
