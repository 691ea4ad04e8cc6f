#include "app/watch/command_watch.h"

#include <algorithm>
#include <deque>
#include <iostream>
#include <memory>

#include <fmt/format.h>
#include <poll.h>
#include <unistd.h>

#include "app/watch/line_reader.h"
#include "app/watch/test_runner.h"
#include "matrix/texts.h"
#include "sim/process/child_process.h"
#include "sim/process/pipe.h"

namespace flashgate::app {
namespace {

using Clock = std::chrono::steady_clock;
using matrix::Verdict;

constexpr std::size_t kLinesKept = 40;
constexpr std::size_t kLongestKept = 2000;  ///< of a line: more is data, no name of a test, and slow to search
constexpr int kReadsAfterEnd = 64;          ///< more than a pipe holds
constexpr int kMostPasses = 50;             ///< a command whose every test hangs must not take the night
constexpr std::chrono::milliseconds kLookForStop{100};

double seconds_since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

void pass_on(int descriptor, const std::string& text)
{
  for (std::size_t written = 0; written < text.size();) {
    const ssize_t count = write(descriptor, text.data() + written, text.size() - written);
    if (count <= 0) return;  // who reads us is gone; the tests go on
    written += static_cast<std::size_t>(count);
  }
}

std::string joined(const std::vector<std::string>& names)
{
  std::string text;
  for (const std::string& name : names)
    text += (text.empty() ? "" : ", ") + matrix::printable(name);
  return text;
}

constexpr std::string_view kFrame = "  File ", kCurrentThread = "Current thread";

/// The innermost frame in `file` of a thread that took the signal, which is a process's first one where it can.
std::size_t place_in_file(const std::string& stacks, const std::string& file)
{
  for (std::size_t at = stacks.find(kCurrentThread); at != std::string::npos;) {
    const std::size_t next = stacks.find(kCurrentThread, at + 1), found = stacks.find(file + "\", line ", at);
    if (found < next) return stacks.rfind(kFrame, found);
    at = next;
  }
  return std::string::npos;
}

/// The Python frame that tells most: in the file of a test that hangs ("test_mask.py::test_causal"), for the process
/// that runs it is one of several under xdist; else the innermost one of the first thread that took the signal.
std::string telling_python_frame(const std::string& stacks, const std::vector<std::string>& tests)
{
  std::size_t at = std::string::npos;
  for (const std::string& test : tests)
    if (const std::size_t end = test.find("::"); at == std::string::npos && end != std::string::npos)
      at = place_in_file(stacks, test.substr(0, end));
  if (at == std::string::npos) {
    const std::size_t current = stacks.find(kCurrentThread);
    at = stacks.find(kFrame, current == std::string::npos ? 0 : current);
  }
  return at == std::string::npos ? "" : stacks.substr(at + 2, stacks.find('\n', at) - at - 2);
}

void tell(const std::string& text) { std::cerr << "flashgate: " << text << std::endl; }

/// All passes of one command.
class Watch
{
 public:
  Watch(const WatchSettings& settings, const std::atomic<bool>& stop)
      : settings_(settings), stop_(stop), command_(settings.command), runner_(runner_by_name(settings.command))
  {
    if (runner_) runner_->list_tests(command_, book_);
  }

  WatchResult run()
  {
    sim::adopt_orphans();
    while (true) {
      const std::size_t ended_before = book_.ended().size();
      const bool whole = run_pass();
      if (whole || result_.stopped || !prepare_rest(ended_before)) break;
    }
    result_.runner = runner_ ? runner_->name() : std::string_view();
    result_.last_lines.assign(lines_.begin(), lines_.end());
    judge_command();
    result_.tests = book_.tests();
    for (WatchedTest& test : result_.tests)
      if (test.verdict == Verdict::missing && test.detail.empty()) test.detail = "never ran";
    return std::move(result_);
  }

 private:
  /// One start of the command. True if it came to its end without a hang, and without dying in a test.
  bool run_pass()
  {
    ++result_.passes;
    lines_.clear();
    result_.ending.clear();
    sim::FdPair out = sim::make_output_pipe(), err = sim::make_output_pipe();
    sim::ChildProcess child({command_,
                             sim::our_environment(hooks_.environment()),
                             "",
                             {{out.theirs.get(), STDOUT_FILENO}, {err.theirs.get(), STDERR_FILENO}}});
    out.theirs.reset();
    err.theirs.reset();
    LineReader out_lines(out.ours.get()), err_lines(err.ours.get());
    moved_ = Clock::now();
    while (true) {
      wait_for(out.ours.get(), err.ours.get(), child.descriptor());
      const auto follow_all = [&] {
        const bool out_moved = follow(out_lines, STDOUT_FILENO), err_moved = follow(err_lines, STDERR_FILENO);
        return follow_events() || out_moved || err_moved;
      };
      if (stop_) return stop(child);
      const bool has_moved = follow_all();
      if (const auto ending = child.ending()) {
        result_.left_processes |= !child.kill_tree();  // what it left behind could go on writing
        for (int n = 0; n < kReadsAfterEnd && follow_all(); ++n) {
        }
        return end_pass(*ending);
      }
      if (has_moved || Clock::now() - moved_ < settings_.patience) continue;
      for (const LineReader* reader : {&out_lines, &err_lines})
        if (!reader->unfinished().empty()) keep_line(without_colours(reader->unfinished()));
      return handle_hang(child);
    }
  }

  void wait_for(int out, int err, int child) const
  {
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(moved_ + settings_.patience - Clock::now());
    pollfd fds[] = {{out_ended_ ? -1 : out, POLLIN, 0},
                    {err_ended_ ? -1 : err, POLLIN, 0},
                    {hooks_.events(), POLLIN, 0},
                    {child, POLLIN, 0}};
    poll(fds, 4, static_cast<int>(std::clamp(left, std::chrono::milliseconds(0), kLookForStop).count()));
  }

  /// Reads what is there of an output stream. False if nothing was.
  bool follow(LineReader& reader, int ours)
  {
    bool& ended = ours == STDOUT_FILENO ? out_ended_ : err_ended_;
    const bool read = reader.read();
    ended = reader.at_end();
    if (read) moved_ = Clock::now();
    pass_on(ours, reader.fresh());
    while (const auto line = reader.next_line())
      take_line(without_colours(*line));
    return read;
  }

  const std::string& keep_line(const std::string& line)
  {
    lines_.push_back(line.substr(0, kLongestKept));
    if (lines_.size() > kLinesKept) lines_.pop_front();
    return lines_.back();
  }

  void take_line(const std::string& whole)
  {
    const std::string& line = keep_line(whole);
    if (!runner_) runner_ = runner_by_output(line);
    if (runner_) runner_->read_output(line, book_);
  }

  bool follow_events()
  {
    const bool read = events_.read();
    if (read) moved_ = Clock::now();
    while (const auto line = events_.next_line()) {
      if (!runner_) runner_ = make_pytest_runner();  // only its plugin knows where to write
      runner_->read_event(*line, book_);
    }
    return read;
  }

  bool end_pass(const sim::Ending& ending)
  {
    result_.ending = ending.text();
    result_.status = ending.status();
    result_.died = ending.by_signal;
    const std::vector<std::string> running = book_.running();
    if (running.empty()) return true;
    tell(fmt::format("CRASH {}: the command {} in it", joined(running), result_.ending));
    book_.finish_running({"", Verdict::crash, 0, "the command " + result_.ending + " while it ran", last_lines()});
    return false;
  }

  bool stop(sim::ChildProcess& child)
  {
    result_.stopped = true;
    result_.left_processes |= !child.kill_tree();
    return false;
  }

  bool handle_hang(sim::ChildProcess& child)
  {
    const Clock::time_point start = Clock::now();
    Hang hang;
    hang.tests = book_.running();
    if (hang.tests.empty()) hang.meanwhile = meanwhile();
    hang.silent_seconds = seconds_since(moved_);
    hang.last_lines.assign(lines_.begin(), lines_.end());
    tell(fmt::format("HANG {}: nothing moved for {:.1f} s",
                     hang.tests.empty() ? "(" + hang.meanwhile + ")" : joined(hang.tests), hang.silent_seconds));
    hang.evidence = look_at(child, hooks_);
    result_.left_processes |= !child.kill_tree();
    hang.handled_seconds = seconds_since(start);
    const std::string frame = telling_python_frame(hang.evidence.python_stacks, hang.tests);
    const std::string detail = fmt::format("nothing moved for {:.1f} s; {}{}{}", hang.silent_seconds,
                                           cause_text(hang.evidence.cause), frame.empty() ? "" : "; ", frame);
    tell(fmt::format("dumped and killed in {:.2f} s; {}{}{}", hang.handled_seconds, cause_text(hang.evidence.cause),
                     frame.empty() ? "" : "; ", frame));
    book_.finish_running({"", Verdict::hang, hang.silent_seconds, detail, hang.evidence.text()});
    result_.hangs.push_back(std::move(hang));
    return false;
  }

  /// What goes on while no test runs.
  std::string meanwhile() const
  {
    const std::string activity = runner_ ? matrix::printable(runner_->activity()) : "";
    if (!activity.empty()) return activity;
    const bool after_all = !book_.tests().empty() && book_.not_ended().empty();
    return after_all ? "after the last test had ended" : "no test was known to run";
  }

  /// Sets the command to the tests that are left. False if there are none, or no way to run them alone.
  bool prepare_rest(std::size_t ended_before)
  {
    if (!runner_ || book_.ended().size() == ended_before || result_.passes >= kMostPasses) return false;
    runner_->list_tests(settings_.command, book_);
    if (book_.not_ended().empty()) return false;
    std::vector<std::string> rest = runner_->rest_of(settings_.command, book_);
    if (rest.empty()) return false;
    hooks_.leave_out(book_.ended());
    command_ = std::move(rest);
    tell(fmt::format("going on with {} tests", book_.not_ended().size()));
    return true;
  }

  /// What the tests do not show: a command that hangs or fails on its own account is an entry of its own.
  void judge_command()
  {
    const bool test_failed = std::ranges::any_of(
        book_.tests(), [](const WatchedTest& t) { return t.verdict > Verdict::skip && t.verdict != Verdict::missing; });
    const bool hung_alone = std::ranges::any_of(result_.hangs, [](const Hang& hang) { return hang.tests.empty(); });
    if (hung_alone) {
      const Hang& hang = result_.hangs.back();
      book_.start(kCommandItself);
      book_.finish_running({"", Verdict::hang, hang.silent_seconds,
                            fmt::format("nothing moved for {:.1f} s, {}; {}", hang.silent_seconds, hang.meanwhile,
                                        cause_text(hang.evidence.cause)),
                            hang.evidence.text()});
    } else if (book_.tests().empty() || (result_.status != 0 && !result_.ending.empty() && !test_failed)) {
      const Verdict ended = result_.died ? Verdict::crash : result_.status == 0 ? Verdict::pass : Verdict::fail;
      const Verdict verdict = result_.stopped ? Verdict::missing : ended;
      book_.finish(kCommandItself, verdict, 0, verdict == Verdict::pass ? "" : "the command " + result_.ending);
    }
  }

  std::string last_lines() const
  {
    std::string text;
    for (const std::string& line : lines_)
      text += line + "\n";
    return text;
  }

  static constexpr const char* kCommandItself = "(command)";

  const WatchSettings& settings_;
  const std::atomic<bool>& stop_;
  std::vector<std::string> command_;
  std::unique_ptr<TestRunner> runner_;
  TestBook book_;
  PythonHooks hooks_;
  LineReader events_{hooks_.events()};
  Clock::time_point moved_;
  std::deque<std::string> lines_;
  bool out_ended_ = false, err_ended_ = false;
  WatchResult result_;
};

}  // namespace

WatchResult watch_command(const WatchSettings& settings, const std::atomic<bool>& stop)
{
  return Watch(settings, stop).run();
}

}  // namespace flashgate::app
