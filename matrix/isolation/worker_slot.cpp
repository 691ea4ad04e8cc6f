#include "matrix/isolation/worker_slot.h"

#include <filesystem>
#include <fstream>

#include <fmt/format.h>

#include "matrix/isolation/isolated_runner.h"
#include "matrix/isolation/message_bytes.h"
#include "matrix/texts.h"

namespace flashgate::matrix {
namespace {

using Clock = std::chrono::steady_clock;

constexpr int kMostFailedStarts = 3;
constexpr double kStartPatience = 60;  ///< seconds until a worker says that it is ready
/// A process that dies closes its socket before its end can be seen; on a busy machine long before.
constexpr std::chrono::seconds kEndAfterClose{30};

double seconds_since(Clock::time_point moment) { return std::chrono::duration<double>(Clock::now() - moment).count(); }

}  // namespace

WorkerSlot::WorkerSlot(const std::vector<ExecutionTask>& tasks, const IsolationOptions& options)
    : tasks_(tasks), options_(options)
{
}

WorkerSlot::~WorkerSlot()
{
  if (worker_ && !queue_.empty()) worker_->kill();
}

WorkerLoad WorkerSlot::load() const { return {queue_.size(), !queue_.empty() && queue_.front().alone}; }

void WorkerSlot::start()
{
  worker_.reset();
  worker_ = std::make_unique<WorkerProcess>(options_);
  is_ready_ = false;
  served_ = 0;
  progress_ = 0;
}

void WorkerSlot::restart_clock()
{
  asked_ = progressed_ = Clock::now();
  if (worker_) progress_ = worker_->progress();
}

void WorkerSlot::assign(const Attempt& attempt)
{
  const bool worn = served_ >= options_.cases_per_worker && queue_.empty();
  if (!worker_ || worn || (attempt.alone && served_ > 0)) start();
  if (queue_.empty()) restart_clock();
  const ExecutionTask& task = tasks_[attempt.task];
  queue_.push_back(attempt);
  try {
    worker_->send({next_id_ + queue_.size() - 1, numerics_name(task.numerics), task.backend->name(),
                   std::string(task.backend->evidence())});
  } catch (const ProtocolViolation&) {
    // It has ended or stands still. look() finds out, and does not blame an attempt that never began.
  }
}

void WorkerSlot::watch(std::vector<pollfd>& watched) const
{
  if (!worker_) return;
  watched.push_back({worker_->socket(), POLLIN, 0});
  watched.push_back({worker_->end(), POLLIN, 0});
}

std::vector<FinishedAttempt> WorkerSlot::look()
{
  std::vector<FinishedAttempt> finished;
  if (!worker_) return finished;
  std::optional<WorkerFault> fault;
  try {
    read_answers(finished);
    fault = find_fault();
  } catch (const ProtocolViolation& violation) {
    fault = breaks_protocol(violation.what());
  }
  if (fault) give_up(*fault, finished);
  return finished;
}

void WorkerSlot::read_answers(std::vector<FinishedAttempt>& finished)
{
  const bool open = worker_->receive();
  while (const auto frame = worker_->next()) {
    if (frame->type == FrameType::ready && !is_ready_) {
      is_ready_ = true;
      restart_clock();
    } else {
      finished.push_back(finish_front(*frame));
    }
  }
  if (open) return;
  if (worker_->is_dying()) worker_->wait(kEndAfterClose);
  if (!worker_->ending()) throw ProtocolViolation("closed its socket");
}

FinishedAttempt WorkerSlot::finish_front(const Frame& frame)
{
  if (frame.type != FrameType::reply || !is_ready_ || queue_.empty())
    throw ProtocolViolation("wrote a frame that nobody asked for");
  const Attempt attempt = queue_.front();
  const ExecutionTask& task = tasks_[attempt.task];
  ExecutionResult result = parse_reply(frame.payload, next_id_, task.numerics);
  if (result.digest != execution_digest(task.numerics, *task.backend))
    throw ProtocolViolation("answered for another execution than it was asked for");
  queue_.pop_front();
  ++next_id_;
  ++served_;
  failed_starts_ = 0;
  restart_clock();
  return {attempt, std::move(result)};
}

std::optional<WorkerFault> WorkerSlot::find_fault()
{
  if (const auto ending = worker_->ending()) return ended(*ending, worker_->log_tail());
  if (needs_too_much_memory()) return needs_memory(options_.memory_mib);
  return queue_.empty() ? std::nullopt : find_late();
}

bool WorkerSlot::needs_too_much_memory()
{
  if (options_.memory_mib <= 0 || Clock::now() - memory_looked_at_ < kTick) return false;
  memory_looked_at_ = Clock::now();
  return worker_->resident_mib() > options_.memory_mib;
}

std::optional<WorkerFault> WorkerSlot::find_late()
{
  const std::uint64_t progress = worker_->progress();
  if (progress != progress_) progressed_ = Clock::now();
  progress_ = progress;
  const double patience =
      is_ready_ ? patience_for(tasks_[queue_.front().task].numerics, options_.timeout_seconds) : kStartPatience;
  if (seconds_since(progressed_) > patience) return hangs(patience, worker_->half_answer());
  const double longest = patience * options_.total_factor;
  if (seconds_since(asked_) > longest) return takes_too_long(longest);
  return std::nullopt;
}

FaultScene WorkerSlot::scene() const
{
  return {worker_->stage(), seconds_since(asked_), worker_->describe_tree(), worker_->log_tail()};
}

void WorkerSlot::give_up(const WorkerFault& fault, std::vector<FinishedAttempt>& finished)
{
  if (!queue_.empty() && worker_->has_begun(next_id_))
    blame_front(fault, finished);
  else if (served_ == 0)
    count_failed_start(fault);
  drop_worker();
}

void WorkerSlot::blame_front(const WorkerFault& fault, std::vector<FinishedAttempt>& finished)
{
  const Attempt blamed = queue_.front();
  const ExecutionTask& task = tasks_[blamed.task];
  finished.push_back({blamed, faulted_execution(task.numerics, *task.backend, fault, scene())});
  write_log(finished.back().result, blamed.alone);
  queue_.pop_front();
  ++next_id_;
  failed_starts_ = 0;
}

void WorkerSlot::count_failed_start(const WorkerFault& fault)
{
  if (++failed_starts_ < kMostFailedStarts) return;
  throw Error(fmt::format("{}: {} workers in a row broke before they did anything: {} {}", options_.program.front(),
                          kMostFailedStarts, fault.line, printable(worker_->log_tail())));
}

void WorkerSlot::drop_worker()
{
  next_id_ += queue_.size();
  unblamed_.insert(unblamed_.end(), queue_.begin(), queue_.end());
  queue_.clear();
  worker_->kill();
  worker_.reset();
}

std::deque<Attempt> WorkerSlot::take_unblamed() { return std::exchange(unblamed_, {}); }

/// The evidence as a file of its own. That it can't be written is no reason to fail: the store has it too.
void WorkerSlot::write_log(const ExecutionResult& result, bool alone) const
{
  if (options_.logs.empty()) return;
  namespace fs = std::filesystem;
  std::error_code ignored;
  fs::create_directories(options_.logs, ignored);
  const ExecutionIncident& incident = result.incidents.front();
  const std::string name =
      fmt::format("{}-{}{}.txt", incident.kind, result.digest.substr(0, 12), alone ? "-alone" : "");
  std::ofstream(fs::path(options_.logs) / name) << incident.detail;
}

}  // namespace flashgate::matrix
