#include "tests/isolation/saboteur_backend.h"

#include <algorithm>
#include <array>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <vector>

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "matrix/deadlock.h"
#include "matrix/isolation/worker.h"
#include "matrix/stage.h"

namespace flashgate::matrix {
namespace {

void wait_for_ever()
{
  while (true)
    pause();
}

void segfault() { std::raise(SIGSEGV); }

/// No frame of it can be left out: each one's array is used after the call.
int descend(int depth)
{
  volatile char frame[4096];
  frame[0] = static_cast<char>(depth);
  return depth < 0 ? 0 : descend(depth + 1) + frame[0];
}

void overflow_stack() { std::exit(descend(0)); }

void leak()
{
  constexpr std::size_t kPiece = std::size_t{4} << 20;
  constexpr int kMost = 512;  // a supervisor that doesn't look costs 2 GiB, not the machine
  for (int n = 0; n < kMost; ++n)
    std::memset(mmap(nullptr, kPiece, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0), 1, kPiece);
  wait_for_ever();
}

void spin()
{
  for (volatile int n = 0;;)
    n = 1 - n;
}

void block()
{
  int ends[2];
  char byte = 0;
  if (pipe(ends) == 0 && read(ends[0], &byte, 1) == 0) std::abort();
}

void ignore_signals()
{
  for (int number = 1; number < NSIG; ++number)
    if (number != SIGCHLD) std::signal(number, SIG_IGN);
  wait_for_ever();
}

/// A child that leaves the group and the session, and another one that doesn't; both hold the socket.
void fork_children()
{
  for (const bool leaves : {false, true})
    if (fork() == 0) {
      if (leaves) setsid();
      wait_for_ever();
    }
}

void close_socket()
{
  close(kWorkerSocket);
  wait_for_ever();
}

void put(std::string_view bytes)
{
  while (!bytes.empty()) {
    const ssize_t count = write(kWorkerSocket, bytes.data(), bytes.size());
    if (count <= 0) return;
    bytes.remove_prefix(static_cast<std::size_t>(count));
  }
}

void write_garbage()
{
  put("results are fine, believe me\n");
  wait_for_ever();
}

void write_half()
{
  put(std::string_view("FG\x01\x03\x40\x00\x00\x00half", 12));
  wait_for_ever();
}

void announce_gigabyte()
{
  put(std::string_view("FG\x01\x03\x00\x00\x00\x40", 8));
  wait_for_ever();
}

void write_gigabyte(int descriptor)
{
  const std::vector<char> block(std::size_t{1} << 20, 'x');
  for (int n = 0; n < 1024; ++n)
    if (write(descriptor, block.data(), block.size()) < 0) return;
}

void flood_socket()
{
  write_gigabyte(kWorkerSocket);
  wait_for_ever();
}

void flood_output() { write_gigabyte(STDOUT_FILENO); }

/// The answer to the request before, once more.
void answer_twice() { put(std::string_view("FG\x01\x03\x00\x00\x00\x00", 8)); }

void exit_early() { _exit(0); }

/// Breaks in the first process that comes here, and never again.
void crash_once()
{
  const char* file = std::getenv(kOnceVariable);
  if (file != nullptr && open(file, O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0600) >= 0) std::abort();
}

void move_for_ever()
{
  while (true) {
    enter_stage("schedule after schedule");
    usleep(1000);
  }
}

void deadlock()
{
  throw Deadlock("ranks 0 and 1 wait for each other", "rank 0 waits in receive\nrank 1 waits in receive\n");
}

constexpr auto kAsIs = Outcome::as_is;

constexpr std::array kSabotages{
    Sabotage{"segfault", "reads what is not there", Verdict::crash, "crash", kAsIs, "signal 11", "fatal signal",
             segfault},
    Sabotage{"abort", "calls abort()", Verdict::crash, "crash", kAsIs, "signal 6", "fatal signal", std::abort},
    Sabotage{"overflow", "overflows its stack", Verdict::crash, "crash", kAsIs, "stack overflow: ", "stack overflow",
             overflow_stack},
    Sabotage{"leak", "takes memory up to the limit", Verdict::crash, "memory", kAsIs, "more than 256 MiB", "thread",
             leak},
    Sabotage{"spin", "spins", Verdict::hang, "hang", kAsIs, "no progress", "thread", spin, true},
    Sabotage{"block", "blocks in a system call", Verdict::hang, "hang", kAsIs, "no progress", "read", block, true},
    Sabotage{"ignore", "ignores every signal that can be", Verdict::hang, "hang", kAsIs, "no progress", "pause",
             ignore_signals, true},
    Sabotage{"fork", "leaves children behind, one in a session of its own", Verdict::pass, "", kAsIs, "", "",
             fork_children},
    Sabotage{"close", "closes its socket", Verdict::error, "protocol", kAsIs, "closed its socket", "pause",
             close_socket},
    Sabotage{"garbage", "writes garbage", Verdict::error, "protocol", kAsIs, "results are fine", "pause",
             write_garbage},
    Sabotage{"half", "writes half an answer", Verdict::error, "protocol", kAsIs, "12 bytes of an answer", "pause",
             write_half, true},
    Sabotage{"announce", "announces an answer of 1 GB", Verdict::error, "protocol", kAsIs, "1073741824 bytes", "pause",
             announce_gigabyte},
    Sabotage{"flood", "writes 1 GB", Verdict::error, "protocol", kAsIs, "xxxx", "write", flood_socket},
    Sabotage{"print", "prints 1 GB", Verdict::pass, "", kAsIs, "", "", flood_output},
    Sabotage{"twice", "answers with an empty message", Verdict::error, "protocol", kAsIs, "early", "", answer_twice},
    Sabotage{"exit", "exits 0 early", Verdict::crash, "crash", kAsIs, "status 0, without an answer", "run 1 of",
             exit_early},
    Sabotage{"once", "aborts, but not when it is run again", Verdict::crash, "crash", Outcome::flake,
             "run again alone: pass", "fatal signal", crash_once},
    Sabotage{"move", "goes on for ever, with signs of progress", Verdict::timeout, "timeout", kAsIs, "has not ended",
             "thread", move_for_ever, true},
    Sabotage{"deadlock", "reports that its ranks wait for each other", Verdict::hang, "hang", kAsIs,
             "wait for each other", "rank 1 waits in receive", deadlock},
};

}  // namespace

std::span<const Sabotage> sabotages() { return kSabotages; }

void SaboteurBackend::run(const KernelCall& call, KernelOutputs& outputs) const
{
  if (call.numerics.seed == kVictimSeed && call.run == 0) sabotage_.act();
  ReferenceBackend::run(call, outputs);
}

std::unique_ptr<Backend> make_saboteur(const BackendRequest& request)
{
  const auto found = std::ranges::find(kSabotages, request.name, &Sabotage::name);
  if (found == kSabotages.end()) throw Error("no such saboteur");
  return std::make_unique<SaboteurBackend>(*found);
}

}  // namespace flashgate::matrix
