#include "matrix/stage.h"

#include <atomic>

namespace flashgate::matrix {
namespace {

std::atomic<StageListener> listener_of_process = nullptr;

}  // namespace

void enter_stage(std::string_view stage)
{
  if (const StageListener listener = listener_of_process) listener(stage);
}

void listen_to_stages(StageListener listener) { listener_of_process = listener; }

}  // namespace flashgate::matrix
