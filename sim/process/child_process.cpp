#include "sim/process/child_process.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstring>

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "reference/error.h"
#include "sim/process/process_tree.h"

extern char** environ;

namespace flashgate::sim {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::chrono::milliseconds kQuickEnd{
    50};  ///< nearly every program is gone by then, so that one look is enough

/// The groups that kill_all_groups() finds; 0: free. More programs at once than this are never started.
std::array<std::atomic<pid_t>, 2048> live_groups;

void note_group(pid_t from, pid_t to)
{
  for (std::atomic<pid_t>& group : live_groups) {
    pid_t expected = from;
    if (group.compare_exchange_strong(expected, to)) return;
  }
}

std::string next_mark()
{
  static std::atomic<int> count = 0;
  return "FLASHGATE_CHILD_OF_" + std::to_string(getpid()) + "=" + std::to_string(++count);
}

std::vector<char*> pointers(const std::vector<std::string>& texts)
{
  std::vector<char*> result;
  for (const std::string& text : texts)
    result.push_back(const_cast<char*>(text.c_str()));
  result.push_back(nullptr);
  return result;
}

/// What posix_spawn does in the child before the program starts.
class SpawnPlan
{
 public:
  explicit SpawnPlan(const ChildSettings& settings)
  {
    posix_spawn_file_actions_init(&actions_);
    for (const int standard : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO})
      if (std::ranges::none_of(settings.descriptors, [&](const auto& d) { return d.its == standard; }))
        posix_spawn_file_actions_addopen(&actions_, standard, "/dev/null", standard == 0 ? O_RDONLY : O_WRONLY, 0);
    add_descriptors(settings.descriptors);
    if (!settings.folder.empty()) posix_spawn_file_actions_addchdir_np(&actions_, settings.folder.c_str());

    posix_spawnattr_init(&attributes_);
    posix_spawnattr_setflags(&attributes_, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK);
    sigset_t signals;
    sigemptyset(&signals);
    posix_spawnattr_setsigmask(&attributes_, &signals);
    sigfillset(&signals);
    posix_spawnattr_setsigdefault(&attributes_, &signals);
  }
  ~SpawnPlan()
  {
    posix_spawn_file_actions_destroy(&actions_);
    posix_spawnattr_destroy(&attributes_);
  }
  SpawnPlan(const SpawnPlan&) = delete;
  SpawnPlan& operator=(const SpawnPlan&) = delete;

  const posix_spawn_file_actions_t* actions() const { return &actions_; }
  const posix_spawnattr_t* attributes() const { return &attributes_; }

 private:
  /// The actions run one after the other, so ours first move above every number that an action overwrites.
  void add_descriptors(const std::vector<ChildSettings::Descriptor>& descriptors)
  {
    int highest = STDERR_FILENO;
    for (const auto& descriptor : descriptors)
      highest = std::max(highest, descriptor.its);
    for (const auto& descriptor : descriptors) {
      const int moved = fcntl(descriptor.ours, F_DUPFD_CLOEXEC, highest + 1);
      if (moved < 0) throw Error(std::string("can't duplicate a descriptor: ") + std::strerror(errno));
      moved_.emplace_back(moved);
      posix_spawn_file_actions_adddup2(&actions_, moved, descriptor.its);
    }
  }

  posix_spawn_file_actions_t actions_;
  posix_spawnattr_t attributes_;
  std::vector<UniqueFd> moved_;
};

Ending ending_of(const siginfo_t& info) { return {info.si_code != CLD_EXITED, info.si_status}; }

/// An orphan that we adopted stays as a zombie until it is waited for; for anybody else's process this does nothing.
void bury(pid_t pid)
{
  while (waitpid(pid, nullptr, WNOHANG) < 0 && errno == EINTR) {
  }
}

}  // namespace

std::vector<std::string> our_environment(const std::vector<std::string>& more)
{
  std::vector<std::string> all = more;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string_view name = std::string_view(*entry).substr(0, std::string_view(*entry).find('=') + 1);
    if (std::ranges::none_of(more, [&](const std::string& given) { return given.starts_with(name); }))
      all.emplace_back(*entry);
  }
  return all;
}

std::string Ending::text() const
{
  if (!by_signal) return "ended with status " + std::to_string(number);
  return "died of signal " + std::to_string(number) + " (" + strsignal(number) + ")";
}

ChildProcess::ChildProcess(const ChildSettings& settings) : mark_(next_mark())
{
  const SpawnPlan plan(settings);
  std::vector<std::string> environment = settings.environment;
  environment.push_back(mark_);
  const int failure = posix_spawnp(&pid_, settings.argv.at(0).c_str(), plan.actions(), plan.attributes(),
                                   pointers(settings.argv).data(), pointers(environment).data());
  if (failure == 0) note_group(0, pid_);
  if (failure != 0) throw Error("can't start " + settings.argv[0] + ": " + std::strerror(failure));
  pidfd_ = UniqueFd(static_cast<int>(syscall(SYS_pidfd_open, pid_, 0)));
  if (pidfd_) return;
  const std::string why = std::strerror(errno);
  kill(-pid_, SIGKILL);
  note_group(pid_, 0);
  waitpid(pid_, nullptr, 0);
  throw Error("can't watch " + settings.argv[0] + ": pidfd_open: " + why);
}

ChildProcess::~ChildProcess() { kill_tree(); }

std::optional<Ending> ChildProcess::ending()
{
  if (ending_) return ending_;
  siginfo_t info{};
  const auto id = static_cast<id_t>(pid_);
  if (waitid(P_PID, id, &info, WEXITED | WNOHANG | WNOWAIT) != 0 || info.si_pid == 0) return std::nullopt;
  kill(-pid_, SIGKILL);  // before the wait that frees its number for somebody else's group
  note_group(pid_, 0);
  bury(pid_);
  pidfd_.reset();
  ending_ = ending_of(info);
  return ending_;
}

std::optional<Ending> ChildProcess::wait(std::chrono::milliseconds patience)
{
  const Clock::time_point deadline = Clock::now() + patience;
  while (!ending()) {
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(deadline - Clock::now()).count();
    if (left <= 0) return std::nullopt;
    pollfd ended{pidfd_.get(), POLLIN, 0};
    poll(&ended, 1, static_cast<int>(left));
  }
  return ending_;
}

void ChildProcess::signal_group(int signal)
{
  if (!ending_) kill(-pid_, signal);
}

std::vector<pid_t> ChildProcess::tree() const { return live_tree(pid_, mark_); }

bool ChildProcess::kill_tree(std::chrono::milliseconds patience)
{
  const Clock::time_point deadline = Clock::now() + patience;
  std::vector<pid_t> members = tree(), killed;
  while (!members.empty() || !ending()) {
    if (Clock::now() >= deadline) return false;
    signal_group(SIGKILL);
    for (const pid_t member : members)
      kill(member, SIGKILL);
    killed.insert(killed.end(), members.begin(), members.end());
    if (!wait(std::min(patience, kQuickEnd)) || members.size() > 1) poll(nullptr, 0, 1);
    members = tree();
  }
  for (const pid_t member : killed)
    bury(member);
  while (waitpid(-pid_, nullptr, WNOHANG) > 0) {  // of its group, ended on their own
  }
  return true;
}

void kill_all_groups() noexcept
{
  for (const std::atomic<pid_t>& group : live_groups)
    if (const pid_t leader = group; leader > 0) kill(-leader, SIGKILL);
}

void adopt_orphans()
{
  if (prctl(PR_SET_CHILD_SUBREAPER, 1) != 0) throw Error(std::string("can't adopt orphans: ") + std::strerror(errno));
}

void die_with_parent(pid_t parent)
{
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != parent) _exit(128 + SIGKILL);
}

}  // namespace flashgate::sim
