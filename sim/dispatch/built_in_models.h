#pragma once

#include <memory>
#include <vector>

#include "sim/dispatch/subject.h"

namespace flashgate::sim {

/// Every built-in subject: the fleet models, oldest first, then the clean control.
std::vector<std::shared_ptr<const Subject>> built_in_models();

}  // namespace flashgate::sim
