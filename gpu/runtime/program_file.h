#pragma once

#include <filesystem>
#include <string>

namespace flashgate::gpu::runtime {

/// Looks at a program before it is run on the emulated device, and throws Error with the reason why it can't be: no
/// program for this machine, linked with the static CUDA runtime or with one of another generation than
/// `runtime_library` ("libcudart.so.13"), or in need of a CUDA library (cuBLAS, cuDNN, ...) that is not emulated. A
/// program without any CUDA passes: an interpreter, say, which loads it later.
void check_program(const std::filesystem::path& program, const std::string& runtime_library);

/// The file that a command names, as a shell would find it: PATH is searched where `command` has no slash. Throws
/// Error.
std::filesystem::path find_program(const std::string& command);

}  // namespace flashgate::gpu::runtime
