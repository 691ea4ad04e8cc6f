#pragma once

#include "sim/process/unique_fd.h"

namespace flashgate::sim {

/// The two ends of a connection; a program that we start inherits neither unless it is told to.
struct FdPair
{
  UniqueFd ours, theirs;
};

/// What the program writes to `theirs` can be read from `ours`, which does not block. Error if there are no
/// descriptors.
FdPair make_output_pipe();

/// Both ends can be written and read. Error as above. Writing with MSG_NOSIGNAL survives a reader that has gone.
FdPair make_socket_pair();

}  // namespace flashgate::sim
