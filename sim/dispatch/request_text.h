#pragma once

#include <string_view>

#include "sim/dispatch/request.h"

namespace flashgate::sim {

/// The enumerations of a request as the subject protocol and the axes of the matrix spell them.
std::string_view path_text(Path path);
std::string_view device_text(Device device);
std::string_view signature_text(Signature signature);

}  // namespace flashgate::sim
