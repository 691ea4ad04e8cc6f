#include <chrono>
#include <thread>

#include <doctest/doctest.h>
#include <fmt/format.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/matrix/store_fixture.h"

// Several processes, processes that are killed, and readers beside a writer. No Store may be open across a fork.

namespace flashgate::matrix {
namespace {

/// Runs `work` in a child process, which ends with status 0, or 1 if `work` throws.
template <typename Work>
pid_t start_child(Work work)
{
  const pid_t child = fork();
  if (child != 0) return child;
  try {
    work();
  } catch (const std::exception& error) {
    fmt::print(stderr, "child: {}\n", error.what());
    _exit(1);
  }
  _exit(0);
}

bool succeeded(pid_t child)
{
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

constexpr int kBatch = 50;

/// Writes batches of plans and announces each on `pipe` after its commit, until killed.
void write_batches(const std::string& file, int pipe)
{
  Store store = Store::open_or_create(file);
  RunRecord run = run_of("default");
  store.insert_run(run);
  const std::int64_t cell = store.intern_cells({default_cell(0)})[0];
  for (std::int64_t subject = 0;;) {
    store.begin();
    for (int i = 0; i < kBatch; ++i) {
      subject = store.intern_subject(fmt::format("model:{}", subject), "");
      store.insert_plan(run.id, subject, cell, full_plan(), 1, Verdict::pass);
    }
    store.commit();
    if (write(pipe, "b", 1) != 1) return;
  }
}

/// Reads `count` announcements, kills the child, and returns how many it made in all.
int announced_before_kill(pid_t child, int pipe, int count)
{
  int announced = 0;
  char mark = 0;
  while (announced < count && read(pipe, &mark, 1) == 1)
    ++announced;
  kill(child, SIGKILL);
  waitpid(child, nullptr, 0);
  while (read(pipe, &mark, 1) == 1)
    ++announced;
  return announced;
}

}  // namespace

TEST_CASE("every batch that was announced before kill -9 is in the database, and none by half")
{
  const TempFolder folder;
  for (const int batches : {1, 3, 20}) {
    CAPTURE(batches);
    const std::string file = folder.file(fmt::format("{}.db", batches));
    int pipe_ends[2];
    REQUIRE(pipe(pipe_ends) == 0);
    const pid_t child = start_child([&] { write_batches(file, pipe_ends[1]); });
    close(pipe_ends[1]);
    const int announced = announced_before_kill(child, pipe_ends[0], batches);
    close(pipe_ends[0]);
    CHECK(announced >= batches);

    Store store = Store::open_or_create(file);
    const int plans = std::stoi(query(file, "SELECT count(*) FROM plan")[0]);
    CHECK(plans >= announced * kBatch);
    CHECK(plans % kBatch == 0);
    CHECK(query(file, "PRAGMA integrity_check") == std::vector<std::string>{"ok"});
    CHECK(store.find_run("")->exit_code == -1);
  }
}

TEST_CASE("processes that create and fill one database at the same time lose nothing")
{
  const TempFolder folder;
  const std::string file = folder.file("results.db");
  std::vector<pid_t> children;
  for (int i = 0; i < 4; ++i)
    children.push_back(start_child([&] {
      Store store = Store::open_or_create(file);
      RunRecord run = run_of("default");
      store.insert_run(run);
      const std::int64_t subject = store.intern_subject("model:one", "");
      for (const int head_dim : {64, 80, 96, 128}) {
        store.begin();
        const Cell cell = parse_cell(fmt::format("rr_flashmask/head_dim={}", head_dim));
        store.insert_plan(run.id, subject, store.intern_cells({cell})[0], full_plan(), 0, Verdict::pass);
        store.commit();
      }
      store.finish_run(run.id, "now", 0);
    }));
  for (const pid_t child : children)
    CHECK(succeeded(child));
  CHECK(query(file, "SELECT group_concat(name) FROM (SELECT name FROM run ORDER BY name)") ==
        std::vector<std::string>{"default-1,default-2,default-3,default-4"});
  CHECK(query(file, "SELECT count(*) FROM plan") == std::vector<std::string>{"16"});
  CHECK(query(file, "SELECT count(*) FROM cell") == std::vector<std::string>{"4"});
}

TEST_CASE("a store that has looked up known cells can still write after another one has")
{
  const TempFolder folder;
  Store first = Store::open_or_create(folder.file("results.db"));
  Store second = Store::open_or_create(folder.file("results.db"));
  first.intern_cells({default_cell(0)});
  first.intern_cells({default_cell(0)});
  RunRecord run = run_of("default");
  second.insert_run(run);
  CHECK(error_of([&] {
          first.begin();
          first.insert_run(run);
          first.commit();
        }) == "");
}

TEST_CASE("a plain copy of the file is complete after finish_run, while the store is still open")
{
  const TempFolder folder;
  const std::string file = folder.file("results.db");
  const std::string copy = folder.file("copy.db");
  Store store = Store::open_or_create(file);
  RunRecord run = run_of("default");
  store.begin();
  store.insert_run(run);
  const std::int64_t cell = store.intern_cells({default_cell(0)})[0];
  store.insert_plan(run.id, store.intern_subject("model:one", ""), cell, full_plan(), 0, Verdict::pass);
  store.finish_run(run.id, "now", 0);
  std::filesystem::copy_file(file, copy);
  CHECK(query(copy, "SELECT count(*) FROM plan JOIN run ON run.id = plan.run WHERE exit_code = 0") ==
        std::vector<std::string>{"1"});
}

TEST_CASE("a reader sees what is committed, changes nothing, and leaves no files behind")
{
  const TempFolder folder;
  const std::string file = folder.file("results.db");
  write_sample(file);
  const std::string before = file_bytes(file);
  {
    Store reader = Store::open_read_only(file);
    CHECK(reader.runs().size() == 2);
    RunRecord run = run_of("default");
    CHECK(error_of([&] { reader.insert_run(run); }) == file + ": opened for reading only");
  }
  CHECK(file_bytes(file) == before);
  CHECK(std::distance(std::filesystem::directory_iterator(folder.path()), {}) == 1);

  Store writer = Store::open_or_create(file);
  Store reader = Store::open_read_only(file);
  RunRecord run = run_of("default");
  writer.begin();
  writer.insert_run(run);
  CHECK(reader.runs().size() == 2);
  writer.commit();
  CHECK(reader.runs().size() == 3);
}

TEST_CASE("processes that create one database at the same moment all get it")
{
  constexpr int kRounds = 25, kProcesses = 8;
  for (int round = 0; round < kRounds; ++round) {
    const TempFolder folder;
    std::vector<pid_t> children;
    const auto moment = std::chrono::steady_clock::now() + std::chrono::milliseconds(10);
    for (int n = 0; n < kProcesses; ++n)
      children.push_back(start_child([&] {
        std::this_thread::sleep_until(moment);
        Store::open_or_create(folder.file("results.db"));
      }));
    for (const pid_t child : children)
      CHECK(succeeded(child));
  }
}

}  // namespace flashgate::matrix
