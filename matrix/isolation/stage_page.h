#pragma once

#include <atomic>
#include <cstdint>
#include <string>
#include <string_view>

#include "sim/process/unique_fd.h"

namespace flashgate::matrix {

/// A page of memory that a worker shares with its supervisor: what the worker is doing, and how often that has changed.
/// Telling costs a worker no system call, and what it told last outlives it.
///
/// Thread rule: one supervisor reads; any thread of the worker writes. A text that is read while it changes may be a
/// mixture of two. Whatever a mad worker writes there comes out as one printable line.
class StagePage
{
 public:
  /// A page of the supervisor's. Error if there is no memory.
  StagePage();
  /// The worker's view of the page behind a descriptor. Error if it is none.
  explicit StagePage(int descriptor);
  ~StagePage();
  StagePage(const StagePage&) = delete;
  StagePage& operator=(const StagePage&) = delete;

  int descriptor() const { return file_.get(); }

  /// The worker takes up request `id`.
  void begin(std::uint64_t id) noexcept;
  void enter(std::string_view stage) noexcept;

  /// True if request `id` was taken up. REQUIRES: ids grow.
  bool has_begun(std::uint64_t id) const;

  /// How often a stage was entered; the progress that a hang lacks.
  std::uint64_t changes() const;
  /// The stage entered last; empty before the first.
  std::string stage() const;

 private:
  struct Layout;
  void map(int descriptor);

  sim::UniqueFd file_;
  Layout* page_ = nullptr;
};

}  // namespace flashgate::matrix
