#include "sim/dispatch/process_subject.h"

#include <algorithm>
#include <iterator>
#include <numeric>
#include <tuple>

#include "reference/error.h"
#include "sim/process/plain_line.h"

namespace flashgate::sim {
namespace {

constexpr std::size_t kCellsPerBatch = 64;
constexpr int kTrustedFailures = 8;  // cells given up, after which kShortPatience is patience enough
constexpr std::chrono::milliseconds kShortPatience{3000};

/// Requests that need the same rank worlds stand together, so that a worker changes worlds seldom.
std::vector<std::size_t> order_by_world(std::span<const Request> requests)
{
  std::vector<std::size_t> order(requests.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  const auto world = [&](std::size_t i) {
    const Request& r = requests[i];
    return std::tuple(r.device, r.signature, r.ranks_with_v4 > 0);
  };
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return world(a) < world(b); });
  return order;
}

void set_error(const Request& request, const std::string& why, CellPlan& plan)
{
  plan.reset(request.cp_size);
  for (int rank = 0; rank < request.cp_size; ++rank)
    plan.rank(rank).fail(Phase::forward, subject_error(), Symbol("the subject " + plain_line(why, 500)));
}

void merge(const SourceLines& from, SourceLines& into)
{
  for (const auto& [file, lines] : from) {
    std::vector<int>& mine = into[file];
    std::vector<int> both;
    std::set_union(mine.begin(), mine.end(), lines.begin(), lines.end(), std::back_inserter(both));
    mine = std::move(both);
  }
}

}  // namespace

/// A worker and what was said so far.
struct ProcessSubject::Conversation
{
  explicit Conversation(const WorkerSettings& settings) : worker(settings) {}

  SubjectHello greet()
  {
    worker.send(hello_line());
    SubjectHello hello = parse_hello(worker.receive());
    worker.started();
    return hello;
  }

  SubjectWorker worker;
  NamedPlans named;
  int batches = 0;
};

/// Cells that are asked for together, and how far the answers go.
struct ProcessSubject::Batch
{
  std::span<const Request> requests;
  bool with_trace;
  std::span<CellPlan> plans;
  std::vector<std::size_t> order;  ///< indices into requests, in the order in which they are asked
  std::size_t done = 0;            ///< cells of `order` that have their plan
  std::size_t suspects_end = 0;    ///< up to here, cells are asked for one by one

  bool finished() const { return done == order.size(); }
  bool is_suspect() const { return done < suspects_end; }
  std::size_t next_end() const { return is_suspect() ? done + 1 : std::min(done + kCellsPerBatch, order.size()); }
  const Request& request(std::size_t place) const { return requests[order[place]]; }

  void give_up(const std::string& why)
  {
    set_error(request(done), why, plans[order[done]]);
    ++done;
  }
};

ProcessSubject::ProcessSubject(std::string name, std::string description, WorkerSettings settings)
    : name_(std::move(name)), description_(std::move(description)), settings_(std::move(settings))
{
  try {
    auto first = std::make_unique<Conversation>(settings_);
    hello_ = first->greet();
    give_back(std::move(first));
  } catch (const std::runtime_error& failure) {
    throw Error(plain_line(name_, 200) + " can't be asked: it " + failure.what());
  }
  if (hello_.paths.empty()) throw Error(plain_line(name_, 200) + ": no path has an entry");
}

ProcessSubject::~ProcessSubject() = default;

void ProcessSubject::plan(const Request& request, bool with_trace, CellPlan& plan) const
{
  plan_batch(std::span(&request, 1), with_trace, std::span(&plan, 1));
}

void ProcessSubject::plan_batch(std::span<const Request> requests, bool with_trace, std::span<CellPlan> plans) const
{
  Batch batch{requests, with_trace, plans, order_by_world(requests)};
  std::unique_ptr<Conversation> worker;
  while (!batch.finished()) {
    const std::size_t end = batch.next_end();
    try {
      if (!worker) worker = batch.is_suspect() ? start() : take_worker();
      ask(*worker, batch, end);
    } catch (const std::runtime_error& failure) {  // by the worker's fault; it is lost
      worker = nullptr;
      lose(batch, end, failure.what());
    }
  }
  if (worker) give_back(std::move(worker));
}

/// A worker was lost over the cells up to `end`. Which of them it stumbled over isn't known, for it may have kept its
/// last answers back: they are asked for one by one, and one that is lost again is given up.
void ProcessSubject::lose(Batch& batch, std::size_t end, const std::string& why) const
{
  if (batch.done >= end) return;  // it only failed to say that it was done
  if (!batch.is_suspect()) {
    batch.suspects_end = end;
    return;
  }
  ++failures_;
  batch.give_up(why);
}

/// Asks for the cells up to `end` of the order. What was answered before an exception counts.
void ProcessSubject::ask(Conversation& conversation, Batch& batch, std::size_t end) const
{
  const std::size_t begin = batch.done;
  const int number = ++conversation.batches;
  std::vector<const Request*> cells;
  for (std::size_t place = begin; place < end; ++place)
    cells.push_back(&batch.request(place));
  conversation.worker.send(batch_line(number, cells, batch.with_trace));
  while (true) {
    const SubjectReply reply = parse_reply(conversation.worker.receive(), number, conversation.named);
    const int expected = static_cast<int>(batch.done - begin);
    if (reply.done) {
      if (batch.done != end) throw ProtocolError("leaves out cell " + std::to_string(expected));
      const std::lock_guard lock(mutex_);
      merge(reply.executable, executable_);
      return;
    }
    if (reply.cell != expected || batch.done == end)
      throw ProtocolError("answers cell " + std::to_string(reply.cell) + ", expected " + std::to_string(expected));
    assemble_plan(batch.request(batch.done), reply.worlds, batch.with_trace, batch.plans[batch.order[batch.done]]);
    ++batch.done;
  }
}

std::unique_ptr<ProcessSubject::Conversation> ProcessSubject::start() const
{
  WorkerSettings settings = settings_;
  if (failures_ >= kTrustedFailures) settings.patience = std::min(settings.patience, kShortPatience);
  auto conversation = std::make_unique<Conversation>(settings);
  conversation->greet();
  return conversation;
}

std::unique_ptr<ProcessSubject::Conversation> ProcessSubject::take_worker() const
{
  {
    const std::lock_guard lock(mutex_);
    if (!idle_.empty()) {
      std::unique_ptr<Conversation> worker = std::move(idle_.back());
      idle_.pop_back();
      return worker;
    }
  }
  return start();
}

void ProcessSubject::give_back(std::unique_ptr<Conversation> worker) const
{
  const std::lock_guard lock(mutex_);
  idle_.push_back(std::move(worker));
}

SourceLines ProcessSubject::executable_lines() const
{
  const std::lock_guard lock(mutex_);
  return executable_;
}

}  // namespace flashgate::sim
