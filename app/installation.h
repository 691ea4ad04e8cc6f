#pragma once

#include <string>

namespace flashgate::app {

/// The folder of the suites that belong to this program: beside an installed one in ../share/flashgate/suites, else
/// that of the checkout it was built in (build/PRESET/flashgate), else "suites".
std::string default_suites_folder();

}  // namespace flashgate::app
