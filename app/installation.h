#pragma once

#include <filesystem>
#include <string>

namespace flashgate::app {

/// The folder of the suites that belong to this program: beside an installed one in ../share/flashgate/suites, else
/// that of the checkout it was built in (build/PRESET/flashgate), else "suites".
std::string default_suites_folder();

/// The folder of our kernels' PTX: beside an installed program in ../share/flashgate/kernels, else in the build folder.
/// Throws Error where this build has none.
std::filesystem::path kernels_folder();

/// The stand-in CUDA runtime that `emulate` preloads, named as the library it stands in for ("libcudart.so.13"). Throws
/// Error where this build has none.
std::filesystem::path emulation_runtime();

}  // namespace flashgate::app
