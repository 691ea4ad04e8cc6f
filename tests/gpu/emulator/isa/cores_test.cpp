// Every form there is: the same bits on every core, nothing outside the mask, destinations that are sources.
#include <doctest/doctest.h>

#include "form_run.h"

namespace flashgate::gpu::isa {
namespace {

constexpr int kRounds = 3;

/// What one lane computes does not depend on the other lanes.
bool is_lane_wise(Operation operation) { return operation < Operation::shfl; }

/// All lanes name the same members, and the first of those takes part.
void use_members(FormRun& run, const Form& form)
{
  if (is_lane_wise(form.operation) || form.operation >= Operation::activemask) return;
  const int last = static_cast<int>(run.list().size()) - 1;
  for (int lane = 0; lane < kLanes; ++lane)
    run.set(last, lane, kAllLanes);
}

TEST_CASE("all cores support the same forms")
{
  for (const Core core : available_cores())
    CHECK(supported_forms(core) == supported_forms(Core::generic));
  CHECK(supported_forms(Core::generic).size() > 1000);
}

TEST_CASE("every form gives the same bits on every core, with any mask")
{
  std::mt19937_64 random(1);
  const std::vector<Core> cores = available_cores();
  for (const Form& form : supported_forms(Core::generic)) {
    for (int round = 0; round < kRounds; ++round) {
      const LaneMask mask = round == 0 ? kAllLanes : static_cast<LaneMask>(random()) | 1U << random() % 32;
      FormRun prepared(form);
      prepared.randomise(random);
      use_members(prepared, form);
      prepared.instruction().immediate = random() & 0xFF;
      prepared.instruction().a = static_cast<std::uint32_t>(random());
      FormRun expected = prepared;
      expected.run(Core::generic, mask);
      for (const Core core : cores) {
        FormRun run = prepared;
        run.run(core, mask);
        CHECK_MESSAGE(run.same_registers(expected), describe(form), " on ", std::string(core_name(core)));
      }
    }
  }
}

TEST_CASE("no form touches a lane outside the mask, and lanes inside do not depend on it")
{
  std::mt19937_64 random(2);
  for (const Core core : available_cores())
    for (const Form& form : supported_forms(core)) {
      const LaneMask mask = static_cast<LaneMask>(random()) | 1U << random() % 32;
      FormRun prepared(form);
      prepared.randomise(random);
      use_members(prepared, form);
      FormRun masked = prepared;
      masked.run(core, mask);
      FormRun full = prepared;
      full.run(core);
      bool kept = true;
      bool same = true;
      for (int k = 0; k < static_cast<int>(prepared.list().size()); ++k)
        for (int lane = 0; lane < kLanes; ++lane) {
          const bool inside = mask >> lane & 1;
          if (!inside) kept = kept && masked.value(k, lane) == prepared.value(k, lane);
          if (inside && is_lane_wise(form.operation)) same = same && masked.value(k, lane) == full.value(k, lane);
        }
      CHECK_MESSAGE(kept, describe(form));
      CHECK_MESSAGE(same, describe(form));
    }
}

TEST_CASE("a destination may be any source of its width")
{
  std::mt19937_64 random(3);
  for (const Core core : available_cores())
    for (const Form& form : supported_forms(core)) {
      FormRun prepared(form);
      prepared.randomise(random);
      use_members(prepared, form);
      FormRun apart = prepared;
      apart.run(core);
      const Operand& d = prepared.list()[0];
      for (int k = 1; k < static_cast<int>(prepared.list().size()); ++k) {
        const Operand& source = prepared.list()[static_cast<std::size_t>(k)];
        if (source.is_destination || source.bytes != d.bytes) continue;
        FormRun together = prepared;
        together.instruction().slot[0] = together.instruction().slot[static_cast<std::size_t>(k)];
        together.run(core);
        bool same = true;
        for (int lane = 0; lane < kLanes; ++lane)
          same = same && together.value(k, lane) == apart.value(0, lane);
        CHECK_MESSAGE(same, describe(form), ", source ", k);
      }
    }
}

}  // namespace
}  // namespace flashgate::gpu::isa
