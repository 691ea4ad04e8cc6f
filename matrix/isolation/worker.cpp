#include "matrix/isolation/worker.h"

#include <array>
#include <cerrno>
#include <csignal>
#include <map>
#include <optional>

#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include "matrix/isolation/crash_trace.h"
#include "matrix/isolation/execution_message.h"
#include "matrix/isolation/frame.h"
#include "matrix/isolation/message_bytes.h"
#include "matrix/isolation/stage_page.h"
#include "matrix/stage.h"
#include "matrix/texts.h"
#include "sim/process/child_process.h"

namespace flashgate::matrix {
namespace {

constexpr rlim_t kLargestFile = rlim_t{64} << 20;  // above all the log: a worker that floods it gets errors

/// The page of this process, for the listener, which can't carry anything.
StagePage* page_of_process = nullptr;

void limit(int resource, rlim_t most)
{
  const rlimit limits{most, most};
  setrlimit(resource, &limits);
}

/// Sends all of it; false if nobody reads any more.
bool send_all(std::string_view bytes)
{
  while (!bytes.empty()) {
    const ssize_t sent = send(kWorkerSocket, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (sent < 0 && errno == EINTR) continue;
    if (sent <= 0) return false;
    bytes.remove_prefix(static_cast<std::size_t>(sent));
  }
  return true;
}

/// The backends of this process, each made when it is first wanted.
class Backends
{
 public:
  explicit Backends(const BackendFactory& factory) : factory_(factory) {}

  const Backend& get(const ExecutionRequest& request)
  {
    std::unique_ptr<Backend>& backend = made_[{request.backend, request.evidence}];
    const bool is_chosen = request.evidence == "L1" || request.evidence == "L2";  // others come with the backend
    if (!backend) backend = factory_({request.backend, is_chosen ? request.evidence : ""});
    return *backend;
  }

 private:
  const BackendFactory& factory_;
  std::map<std::pair<std::string, std::string>, std::unique_ptr<Backend>> made_;
};

ExecutionResult answer(const ExecutionRequest& request, Backends& backends)
{
  const NumericsCase numerics = parse_numerics_case(request.numerics);
  const Backend& backend = backends.get(request);
  try {
    return execute(numerics, backend);
  } catch (const std::exception& error) {
    return unfinished_execution(numerics, backend, {"error", Verdict::error, printable(error.what())});
  }
}

/// The next frame; empty at the end of the connection.
std::optional<Frame> next_frame(FrameReader& reader)
{
  std::array<char, 4096> buffer;
  while (true) {
    if (auto frame = reader.next()) return frame;
    const ssize_t count = recv(kWorkerSocket, buffer.data(), buffer.size(), 0);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return std::nullopt;
    reader.feed({buffer.data(), static_cast<std::size_t>(count)});
  }
}

void prepare_process(pid_t parent)
{
  sim::die_with_parent(parent);
  trace_crashes();
  std::signal(SIGXFSZ, SIG_IGN);
  limit(RLIMIT_FSIZE, kLargestFile);
  limit(RLIMIT_CORE, 0);
}

}  // namespace

int serve_executions(pid_t parent, const BackendFactory& backends)
{
  prepare_process(parent);
  StagePage page(kWorkerStages);
  page_of_process = &page;
  listen_to_stages([](std::string_view stage) { page_of_process->enter(stage); });
  Backends made(backends);
  FrameReader reader;
  bool connected = send_all(to_bytes(FrameType::ready, ""));
  while (connected) {
    const auto frame = next_frame(reader);
    if (!frame) break;
    const ExecutionRequest request = parse_request(frame->payload);
    page.begin(request.id);
    connected = send_all(to_bytes(FrameType::reply, to_payload(request.id, answer(request, made))));
  }
  listen_to_stages(nullptr);
  return 0;
}

}  // namespace flashgate::matrix
