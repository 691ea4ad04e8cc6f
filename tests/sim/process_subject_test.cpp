// Subjects in processes of their own: whatever they do costs their own cells only.
#include "sim/dispatch/process_subject.h"

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include <doctest/doctest.h>
#include <stdlib.h>

#include "reference/error.h"
#include "sim/process/scratch_folder.h"

namespace flashgate::sim {
namespace {

/// A subject that answers well but for cells with head_dim 64, on which it runs `fault`.
const char* const kScript = R"(
import json, os, signal, socket, sys, time
fd = int(os.environ["FLASHGATE_PROTOCOL_FD"])
f = socket.socket(fileno=fd).makefile("rwb")
def say(text):
    f.write(text if isinstance(text, bytes) else (json.dumps(text) + "\n").encode()); f.flush()
for line in f:
    m = json.loads(line)
    if "hello" in m:
        say({"hello": {"protocol": 1, "name": "t", "paths": ["rr_flashmask"]}})
        continue
    for cell in m["cells"]:
        good = {"batch": m["batch"], "cell": cell["id"], "ranks": [{"forward": {"version": 2}, "backward": {"version": 2},
                "handed": 2, "lse": 2}]}
        if cell["head_dim"] == 64:
            FAULT
        say(good)
    say({"batch": m["batch"], "done": True})
)";

WorkerSettings settings_for(const ScratchFolder& scratch, const std::string& fault)
{
  std::string script = kScript;
  script.replace(script.find("FAULT"), 5, fault);
  scratch.write("subject.py", script);
  WorkerSettings settings;
  settings.argv = {"python3", "-I", "-S", (scratch.path() / "subject.py").string()};
  settings.folder = scratch.path().string();
  settings.patience = std::chrono::milliseconds(10'000);
  return settings;
}

std::vector<Request> requests()
{
  std::vector<Request> all(5);
  all[2].head_dim = {64, 64};
  return all;
}

TEST_CASE("a subject that floods, stalls, dies or lies on a cell gets an error there and nowhere else")
{
  struct Row
  {
    const char* fault;
    const char* why;
    int patience_ms;
  };
  const std::vector<Row> rows{
      {"time.sleep(1000)", "gave no answer for", 1500},
      {"os._exit(7)", "ended with status 7", 10'000},
      {"os.kill(os.getpid(), signal.SIGSEGV)", "died of signal 11", 10'000},
      {"f.close(); time.sleep(1000)", "closed the connection", 10'000},
      {"sys.exit('no more')", "no more", 10'000},
      {"say(b'garbage\\n')", "is no JSON object", 10'000},
      {"say(b'{\"batch\":'); os._exit(0)", "ended with status 0", 10'000},
      {"say(dict(good, cell=77))", "answers cell 77", 10'000},
      {"say(dict(good, batch=77))", "answers another batch", 10'000},
      {"continue", "leaves out cell", 10'000},
      {"say(dict(good, ranks=[]))", "gives 0 plans", 10'000},
      {"say(b'x' * (1 << 30))", "a line of more than 4 MiB", 10'000},
  };
  for (const Row& row : rows) {
    CAPTURE(row.fault);
    const ScratchFolder scratch;
    WorkerSettings settings = settings_for(scratch, row.fault);
    settings.patience = std::chrono::milliseconds(row.patience_ms);
    const ProcessSubject subject("exec:test", "", settings);
    std::vector<CellPlan> plans(5);
    subject.plan_batch(requests(), true, plans);
    for (const int good : {0, 1, 3, 4})
      CHECK(plans[good].rank(0).forward.version == 2);
    const PlanError& error = plans[2].rank(0).error;
    CHECK(error.kind == subject_error());
    CHECK_MESSAGE(error.message.text().find(row.why) != std::string::npos, error.message.text());
  }
}

/// Processes of this machine whose command line has `part`.
int processes_with(const std::string& part)
{
  int count = 0;
  for (const auto& entry : std::filesystem::directory_iterator("/proc")) {
    std::ifstream in(entry.path() / "cmdline", std::ios::binary);
    const std::string line{std::istreambuf_iterator<char>(in), {}};
    count += line.find(part) != std::string::npos;
  }
  return count;
}

TEST_CASE("what a subject starts and leaves behind ends with it, a daemon too")
{
  const ScratchFolder scratch;
  const std::string script = (scratch.path() / "subject.py").string();
  const std::string fault = "for daemon in (False, True):\n" + std::string(16, ' ') + "if os.fork() == 0:\n" +
                            std::string(20, ' ') + "daemon and os.setsid(); time.sleep(1000)";
  {
    const ProcessSubject subject("exec:test", "", settings_for(scratch, fault));
    std::vector<CellPlan> plans(5);
    subject.plan_batch(requests(), true, plans);
    CHECK(plans[2].rank(0).forward.version == 2);
    CHECK(processes_with(script) >= 3);
  }
  CHECK(processes_with(script) == 0);
}

TEST_CASE("an answer too many is thrown away with its worker")
{
  const ScratchFolder scratch;
  const ProcessSubject subject("exec:test", "", settings_for(scratch, "say(good)"));
  std::vector<CellPlan> plans(5);
  subject.plan_batch(requests(), true, plans);
  for (const CellPlan& plan : plans)
    CHECK(plan.rank(0).forward.version == 2);
}

TEST_CASE("what a subject prints is a log and does not hurt, however much it is")
{
  const ScratchFolder scratch;
  const ProcessSubject subject("exec:test", "",
                               settings_for(scratch, "sys.stdout.write('x' * (8 << 20)); sys.stdout.flush()"));
  std::vector<CellPlan> plans(5);
  subject.plan_batch(requests(), true, plans);
  for (const CellPlan& plan : plans)
    CHECK_FALSE(plan.rank(0).error);
}

TEST_CASE("a subject that can't be asked at all is an Error that says why")
{
  const ScratchFolder scratch;
  WorkerSettings settings = settings_for(scratch, "pass");
  struct Row
  {
    std::vector<std::string> argv;
    const char* why;
  };
  const std::vector<Row> rows{
      {{"true"}, "ended with status 0"},
      {{"no-such-program-anywhere"}, "ended with status 127"},
      {{"python3", "-I", "-S", "-c", "raise SystemExit('not today')"}, "not today"},
      {{"/bin/sh", "-c", "echo '{}' >&3; sleep 100"}, "says no hello"},
      {{"/bin/sh", "-c", "echo '{\"hello\":{\"protocol\":1,\"paths\":[]}}' >&3; sleep 100"}, "no path has an entry"},
  };
  for (const Row& row : rows) {
    settings.argv = row.argv;
    std::string why;
    try {
      const ProcessSubject subject("exec:test", "", settings);
    } catch (const Error& error) {
      why = error.what();
    }
    CHECK_MESSAGE(why.find(row.why) != std::string::npos, why);
  }
}

TEST_CASE("a worker has a scratch home, no environment of ours and limits")
{
  setenv("FLASHGATE_TEST_SECRET", "1", 1);
  const ScratchFolder scratch;
  const ProcessSubject subject("exec:test", "", settings_for(scratch, R"(
            import resource
            seen = [os.environ["HOME"] == os.getcwd(), "FLASHGATE_TEST_SECRET" not in os.environ,
                    resource.getrlimit(resource.RLIMIT_AS)[0] == 2 << 30, resource.getrlimit(resource.RLIMIT_CORE)[0] == 0]
            good["ranks"][0] = {"error": {"phase": "fwd", "kind": "Seen", "message": str(seen)}})"));
  std::vector<CellPlan> plans(5);
  subject.plan_batch(requests(), true, plans);
  CHECK(plans[2].rank(0).error.message.text() == "[True, True, True, True]");
}

}  // namespace
}  // namespace flashgate::sim
