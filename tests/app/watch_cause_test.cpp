// Why nothing moves, from states and stacks.
#include <doctest/doctest.h>

#include "app/watch/hang_cause.h"

namespace flashgate::app {
namespace {

sim::ThreadState thread(pid_t id, const std::string& call, long long ticks = 10, char state = 'S')
{
  sim::ThreadState made;
  made.id = id;
  made.state = state;
  made.system_call = call;
  made.cpu_ticks = ticks;
  return made;
}

using States = std::vector<sim::ProcessState>;

TEST_CASE("the innermost process's first thread decides, not pools and parents")
{
  struct Row
  {
    const char* call;
    HangCause cause;
  };
  for (const Row& row :
       {Row{"futex", HangCause::lock}, Row{"read", HangCause::input_output}, Row{"epoll_wait", HangCause::input_output},
        Row{"clock_nanosleep", HangCause::sleep}, Row{"", HangCause::child_process}}) {
    CAPTURE(row.call);
    const States states{{1, "sh", {thread(1, "wait4")}}, {2, "python3", {thread(2, row.call), thread(3, "accept")}}};
    CHECK(likely_cause(states, states, 0.2, "main (python3)") == row.cause);
  }
}

TEST_CASE("a thread that used processor time all along is a busy loop, one that ran a moment is not")
{
  const States before{{2, "python3", {thread(2, "futex"), thread(3, "", 100, 'R')}}};
  const States spun{{2, "python3", {thread(2, "futex"), thread(3, "", 118, 'R')}}};
  const States ran{{2, "python3", {thread(2, "futex"), thread(3, "", 101, 'R')}}};
  CHECK(likely_cause(before, spun, 0.2, "") == HangCause::busy_loop);
  CHECK(likely_cause(before, ran, 0.2, "") == HangCause::lock);
}

TEST_CASE("a collective's name decides first, for its ranks may spin or sleep in locks")
{
  const States before{{2, "python3", {thread(2, "", 100, 'R')}}};
  const States after{{2, "python3", {thread(2, "", 120, 'R')}}};
  for (const char* stack : {"File \"x.py\", line 3 in all_reduce", "ncclAllGather (libnccl.so.2)",
                            "PMPI_Barrier\nMPI_Barrier (libmpi.so.40)", "c10d::ProcessGroupNCCL::wait",
                            "File \"/lib/torch/distributed/c10d.py\", line 9 in barrier"})
    CHECK(likely_cause(before, after, 0.2, stack) == HangCause::collective);
  for (const char* stack : {"File \"x.py\", line 3 in reduce", "File \"all_reduce.py\", line 3 in test_all_reduce",
                            "File \"/nccl/x.py\", line 3 in barrier"})
    CHECK(likely_cause(before, after, 0.2, stack) == HangCause::busy_loop);
  CHECK(likely_cause(before, after, 0.2, std::string(1 << 20, 'a')) == HangCause::busy_loop);
}

TEST_CASE("every cause has words and something to look at")
{
  using enum HangCause;
  for (const HangCause cause : {collective, lock, busy_loop, input_output, sleep, child_process, unknown}) {
    CHECK_FALSE(cause_text(cause).empty());
    CHECK_FALSE(cause_suggestion(cause).empty());
  }
}

}  // namespace
}  // namespace flashgate::app
