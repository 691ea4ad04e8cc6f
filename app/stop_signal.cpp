#include "app/stop_signal.h"

#include <csignal>

#include <unistd.h>

#include "sim/process/child_process.h"

namespace flashgate::app {
namespace {

std::atomic<bool> stop_requested = false;

void request_stop(int signal)
{
  if (!stop_requested.exchange(true)) return;
  sim::kill_all_groups();
  _exit(128 + signal);
}

}  // namespace

const std::atomic<bool>& stop_on_signal()
{
  std::signal(SIGINT, request_stop);
  std::signal(SIGTERM, request_stop);
  return stop_requested;
}

}  // namespace flashgate::app
