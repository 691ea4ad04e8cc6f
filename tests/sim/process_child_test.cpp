// A child process of its own group: how it ends, and that nothing of its tree survives it.
#include <csignal>
#include <fstream>
#include <memory>

#include <doctest/doctest.h>
#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include "reference/error.h"
#include "sim/process/child_process.h"
#include "sim/process/pipe.h"
#include "tests/temporary_folder.h"

namespace flashgate::sim {
namespace {

using namespace std::chrono_literals;

ChildSettings shell(const std::string& script) { return {{"/bin/sh", "-c", script}, our_environment(), "", {}}; }

ChildSettings python(const std::string& script)
{
  return {{"python3", "-I", "-S", "-c", script}, our_environment(), "", {}};
}

/// Waits until the child has written a byte, so that what it starts has started.
struct Announced
{
  explicit Announced(ChildSettings settings)
  {
    FdPair pipe = make_output_pipe();
    settings.descriptors.push_back({pipe.theirs.get(), STDOUT_FILENO});
    child = std::make_unique<ChildProcess>(settings);
    pollfd ready{pipe.ours.get(), POLLIN, 0};
    REQUIRE(poll(&ready, 1, 20'000) == 1);
    output = std::move(pipe.ours);
  }
  std::unique_ptr<ChildProcess> child;
  UniqueFd output;
};

bool lives(pid_t pid) { return kill(pid, 0) == 0; }

TEST_CASE("a child's ending is an exit status or a signal, and stays the same")
{
  struct Row
  {
    const char* script;
    int status;
    const char* text;
  };
  const std::vector<Row> rows{{"exit 0", 0, "ended with status 0"},
                              {"exit 7", 7, "ended with status 7"},
                              {"kill -SEGV $$", 139, "died of signal 11 (Segmentation fault)"},
                              {"kill -KILL $$", 137, "died of signal 9 (Killed)"}};
  for (const Row& row : rows) {
    ChildProcess child(shell(row.script));
    for (int i = 0; i < 2; ++i) {
      const auto ending = child.wait(20s);
      REQUIRE(ending);
      CHECK(ending->status() == row.status);
      CHECK(ending->text() == row.text);
    }
    CHECK(child.tree().empty());
  }
}

TEST_CASE("all groups die at once, those of programs that have ended are left alone")
{
  ChildProcess ended(shell("exit 3"));
  REQUIRE(ended.wait(20s));
  ChildProcess first(shell("sleep 1000")), second(shell("trap '' TERM INT; sleep 1000 & wait"));
  kill_all_groups();
  for (ChildProcess* child : {&first, &second}) {
    const auto ending = child->wait(20s);
    REQUIRE(ending);
    CHECK(ending->text() == "died of signal 9 (Killed)");
  }
  CHECK(ended.ending()->status() == 3);
}

TEST_CASE("a program that is not there is an Error")
{
  CHECK_THROWS_AS(ChildProcess(ChildSettings{{"no-such-program-anywhere"}, our_environment(), "", {}}), Error);
}

TEST_CASE("the descriptor of a child becomes readable at its end and not before")
{
  ChildProcess child(shell("read line <&5"));  // there is no 5, so this ends at once
  pollfd ended{child.descriptor(), POLLIN, 0};
  CHECK(poll(&ended, 1, 20'000) == 1);

  ChildProcess waits(shell("exec sleep 1000"));
  pollfd waiting{waits.descriptor(), POLLIN, 0};
  CHECK(poll(&waiting, 1, 0) == 0);
  CHECK_FALSE(waits.ending());
}

TEST_CASE("descriptors arrive under their numbers even where the numbers overlap")
{
  const tests::TemporaryFolder folder;
  std::vector<UniqueFd> files;
  for (const char* name : {"a", "b"})
    files.emplace_back(open(folder.file(name).c_str(), O_CREAT | O_WRONLY | O_CLOEXEC, 0600));
  ChildSettings settings = shell("");
  // Each is to have the other's number.
  settings.descriptors = {{files[0].get(), files[1].get()}, {files[1].get(), files[0].get()}};
  settings.argv[2] =
      "echo to-b >&" + std::to_string(files[0].get()) + "; echo to-a >&" + std::to_string(files[1].get());
  ChildProcess child(settings);
  REQUIRE(child.wait(20s)->status() == 0);
  std::string a, b;
  std::ifstream(folder.file("a")) >> a;
  std::ifstream(folder.file("b")) >> b;
  CHECK(a == "to-a");
  CHECK(b == "to-b");
}

TEST_CASE("a child has no signal that we ignore, and our environment with what is added")
{
  const auto before = signal(SIGPIPE, SIG_IGN);
  ChildSettings settings = shell("kill -PIPE $$; exit 1");
  settings.environment = our_environment({"PATH=/usr/bin:/bin", "FLASHGATE_ADDED=yes"});
  ChildProcess child(settings);
  CHECK(child.wait(20s)->status() == 128 + SIGPIPE);
  signal(SIGPIPE, before);

  settings.argv[2] = "test \"$FLASHGATE_ADDED\" = yes && test \"$PATH\" = /usr/bin:/bin";
  CHECK(ChildProcess(settings).wait(20s)->status() == 0);
}

TEST_CASE("a killed tree leaves nothing: not those that ignore SIGTERM, left the session, or lost their parent")
{
  adopt_orphans();
  struct Row
  {
    const char* what;
    const char* script;  // prints a line when everything has started
    std::size_t processes;
  };
  const std::vector<Row> rows{
      {"a child", "import os, time\nif os.fork(): print(1, flush=True)\ntime.sleep(1000)", 2},
      {"one that ignores SIGTERM",
       "import signal, time\nsignal.signal(signal.SIGTERM, signal.SIG_IGN)\nprint(1, flush=True)\ntime.sleep(1000)", 1},
      {"a daemon, whose parent is gone",
       "import os, time\n"
       "r, w = os.pipe()\n"
       "if os.fork() == 0:\n"
       "  os.setsid()\n"
       "  if os.fork() == 0:\n"
       "    os.write(w, b'x'); time.sleep(1000)\n"
       "  os._exit(0)\n"
       "os.wait(); os.read(r, 1); print(1, flush=True); time.sleep(1000)",
       2},
      {"a chain",
       "import os, time\nfor i in range(5):\n  if os.fork(): break\nelse: print(1, flush=True)\ntime.sleep(1000)", 6},
  };
  for (const Row& row : rows) {
    CAPTURE(row.what);
    Announced announced(python(row.script));
    const std::vector<pid_t> tree = announced.child->tree();
    CHECK(tree.size() == row.processes);
    CHECK(tree.front() == announced.child->pid());
    CHECK(announced.child->kill_tree());
    for (const pid_t pid : tree)
      CHECK_FALSE(lives(pid));
    CHECK(announced.child->ending()->text() == "died of signal 9 (Killed)");
  }
}

TEST_CASE("what a program leaves in the background is found after its end, and goes with its owner")
{
  adopt_orphans();
  pid_t left = 0;
  {
    Announced announced(
        python("import os, time\nif os.fork() == 0:\n  os.setsid(); print(1, flush=True); time.sleep(1000)"));
    REQUIRE(announced.child->wait(20s)->status() == 0);
    const std::vector<pid_t> tree = announced.child->tree();
    REQUIRE(tree.size() == 1);
    left = tree.front();
    CHECK(lives(left));
  }
  CHECK_FALSE(lives(left));
}

}  // namespace
}  // namespace flashgate::sim
