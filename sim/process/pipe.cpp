#include "sim/process/pipe.h"

#include <cerrno>
#include <cstring>
#include <string>

#include <fcntl.h>
#include <sys/socket.h>

#include "reference/error.h"

namespace flashgate::sim {

FdPair make_output_pipe()
{
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) throw Error(std::string("can't make a pipe: ") + std::strerror(errno));
  fcntl(ends[0], F_SETFL, O_NONBLOCK);  // theirs blocks, as a program expects of its output
  return {UniqueFd(ends[0]), UniqueFd(ends[1])};
}

FdPair make_socket_pair()
{
  int ends[2];
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0)
    throw Error(std::string("can't make a socket: ") + std::strerror(errno));
  return {UniqueFd(ends[0]), UniqueFd(ends[1])};
}

}  // namespace flashgate::sim
