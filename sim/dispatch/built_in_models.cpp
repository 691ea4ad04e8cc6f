#include "sim/dispatch/built_in_models.h"

#include "sim/dispatch/effective_first.h"
#include "sim/dispatch/fleet_model.h"

namespace flashgate::sim {

std::vector<std::shared_ptr<const Subject>> built_in_models()
{
  std::vector<std::shared_ptr<const Subject>> models;
  for (const FleetRevision& revision : fleet_revisions())
    models.push_back(std::make_shared<FleetModel>(revision));
  models.push_back(std::make_shared<EffectiveFirst>());
  return models;
}

}  // namespace flashgate::sim
