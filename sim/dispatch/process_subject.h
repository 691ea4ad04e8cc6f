#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "sim/dispatch/subject.h"
#include "sim/dispatch/subject_protocol.h"
#include "sim/dispatch/subject_worker.h"

namespace flashgate::sim {

/// A dispatcher that is a program of its own and answers the subject protocol (docs/subject_protocol.md).
///
/// Whatever it does costs its own cells only: a cell on which it stalls, dies or answers nonsense gets a plan whose
/// error is of kind "error" and says why (subject_error()). The worker is then started again for the cells that follow;
/// the cells of the batch over which it was lost are asked for once more, one by one, before one is given up. A subject
/// that failed on many cells is waited for only three seconds.
///
/// Thread rule: any number of threads may ask; each asks a worker of its own, which stays for the next one.
class ProcessSubject : public Subject
{
 public:
  /// `name` is the subject's name. Starts one worker at once, to learn what it is. Error if it can't be asked at all:
  /// it does not start, says no hello, or has an entry for no path.
  ProcessSubject(std::string name, std::string description, WorkerSettings settings);
  ~ProcessSubject() override;

  std::string name() const override { return name_; }
  std::string description() const override { return description_; }
  void plan(const Request& request, bool with_trace, CellPlan& plan) const override;
  void plan_batch(std::span<const Request> requests, bool with_trace, std::span<CellPlan> plans) const override;
  SourceLines executable_lines() const override;

  /// What the first worker said of itself.
  const SubjectHello& hello() const { return hello_; }

 private:
  struct Conversation;
  struct Batch;
  std::unique_ptr<Conversation> take_worker() const;
  void give_back(std::unique_ptr<Conversation> worker) const;
  std::unique_ptr<Conversation> start() const;
  void ask(Conversation& worker, Batch& batch, std::size_t end) const;
  void lose(Batch& batch, std::size_t end, const std::string& why) const;

  std::string name_;
  std::string description_;
  WorkerSettings settings_;
  SubjectHello hello_;
  mutable std::atomic<int> failures_ = 0;  ///< cells given up so far
  mutable std::mutex mutex_;
  mutable std::vector<std::unique_ptr<Conversation>> idle_;
  mutable SourceLines executable_;
};

}  // namespace flashgate::sim
