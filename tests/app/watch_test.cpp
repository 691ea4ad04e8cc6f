// `watch` on real runners and on programs that misbehave. The patience is short and the hangs are for ever, so that a
// loaded machine changes nothing but the time.
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <pugixml.hpp>

#include <doctest/doctest.h>

#include "matrix/store.h"
#include "tests/app/run_program.h"
#include "tests/temporary_folder.h"

namespace flashgate {
namespace {

using tests::ProgramResult;
using Results = std::map<std::string, std::string>;

std::string text_of(const std::string& file)
{
  std::ifstream in(file);
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

/// What the watched command's tests came to, by name: "pass" or the type of the failure, from junit.xml.
Results results_in(const std::string& file)
{
  pugi::xml_document document;
  REQUIRE(document.load_file(file.c_str()));
  Results results;
  for (const pugi::xpath_node& found : document.select_nodes("//testcase")) {
    const pugi::xml_node node = found.node();
    const std::string type = node.child("failure").attribute("type").value();
    results[node.attribute("name").value()] = node.child("skipped") ? "skip" : type.empty() ? "pass" : type;
  }
  return results;
}

struct Watched
{
  ProgramResult program;
  Results results;
  std::string report;
};

Watched watch(const tests::TemporaryFolder& folder, const std::string& patience,
              const std::vector<std::string>& command)
{
  std::vector<std::string> arguments{"watch", "--timeout", patience, "--label", "watched", "--"};
  arguments.insert(arguments.end(), command.begin(), command.end());
  const ProgramResult program = tests::run_program(arguments, folder.path().string());
  return {program, results_in(folder.file("out/watch/junit.xml")), text_of(folder.file("out/watch/watch.md"))};
}

bool contains(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

constexpr const char* kNinthDeadlocks = R"(
import ctypes, threading, pytest

@pytest.mark.parametrize("number", range(8))
def test_passes(number):
    pass

def take(first, second, both):
    with first:
        both.wait()
        second.acquire()

def test_deadlocks():
    locks = threading.Lock(), threading.Lock()
    both = threading.Barrier(2)
    threading.Thread(target=ctypes.CDLL(None).pause, daemon=True).start()
    threading.Thread(target=take, args=(*locks, both), daemon=True).start()
    take(*reversed(locks), both)

def test_after():
    pass

def test_after_fails():
    assert 1 == 2
)";

TEST_CASE("pytest: the ninth test that deadlocks is named with its frame, and the tests after it are reported")
{
  const tests::TemporaryFolder folder;
  std::ofstream(folder.file("test_nine.py")) << kNinthDeadlocks;
  const Watched watched =
      watch(folder, "5", {"/usr/bin/python3", "-m", "pytest", "-q", "-p", "no:cacheprovider", "test_nine.py"});
  CAPTURE(watched.program.errors);
  CHECK(watched.program.exit_code == 1);
  Results expected{{"test_nine.py::test_deadlocks", "hang"},
                   {"test_nine.py::test_after", "pass"},
                   {"test_nine.py::test_after_fails", "fail"}};
  for (int i = 0; i < 8; ++i)
    expected["test_nine.py::test_passes[" + std::to_string(i) + "]"] = "pass";
  CHECK(watched.results == expected);
  CHECK(contains(watched.program.errors, "HANG test_nine.py::test_deadlocks: nothing moved for 5."));
  CHECK(contains(watched.program.errors, "line 11 in take"));
  CHECK(contains(watched.report, "waiting for a lock"));
  CHECK(contains(watched.report, "test_nine.py\", line 18 in test_deadlocks"));
  CHECK(contains(watched.report, "in system call pause"));
  CHECK(contains(watched.report, "Last lines:\n\n```\n........\n"));
  CHECK(contains(watched.report, "\n    pause\n"));
  CHECK(contains(text_of(folder.file("out/watch/logs/hang-1.txt")), "in system call futex"));

  matrix::Store store = matrix::Store::open_read_only(folder.file("out/watch/results.db"));
  const auto run = store.find_run("watch-1");
  REQUIRE(run);
  CHECK(run->exit_code == 1);
  CHECK(run->selected == 11);
  CHECK(store.verdict_rows(run->id).size() == 11);
  REQUIRE(store.incidents(run->id).size() == 1);
  CHECK(contains(store.incidents(run->id)[0].detail, "line 18 in test_deadlocks"));
  CHECK(tests::run_program({"report", folder.file("out/watch/results.db"), "-o", folder.file("site")}).exit_code < 3);
}

TEST_CASE("pytest: a hang outside every test says what went on")
{
  struct Row
  {
    const char* file;
    const char* told;
    Results results;
  };
  const std::vector<Row> rows{
      {"import time\ntime.sleep(1000)\ndef test_never(): pass\n",
       "HANG (collecting test_it.py)",
       {{"(command)", "hang"}}},
      {"import threading\ndef test_one():\n  threading.Thread(target=threading.Event().wait).start()\n",
       "HANG (after the last test had ended)",
       {{"test_it.py::test_one", "pass"}, {"(command)", "hang"}}},
  };
  for (const Row& row : rows) {
    CAPTURE(row.told);
    const tests::TemporaryFolder folder;
    std::ofstream(folder.file("test_it.py")) << row.file;
    const Watched watched = watch(folder, "2", {"/usr/bin/python3", "-m", "pytest", "-p", "no:cacheprovider"});
    CAPTURE(watched.program.errors);
    CHECK(watched.program.exit_code == 1);
    CHECK(contains(watched.program.errors, row.told));
    CHECK(watched.results == row.results);
  }
}

TEST_CASE("pytest: a fixture's teardown that hangs is its test's, whatever the test is called, and -x goes on")
{
  const tests::TemporaryFolder folder;
  std::ofstream(folder.file("test_odd.py")) << R"(
import pytest, threading

@pytest.fixture
def stuck(request):
    yield
    if "::" in request.node.name:
        threading.Event().wait()

@pytest.mark.parametrize("value", ["a b", "x[1]", "<&>", "a::b", "\u00fc", ""])
def test_p(stuck, value):
    pass

def test_fails():
    assert 0

def test_never():
    pass
)";
  const Watched watched =
      watch(folder, "2", {"/usr/bin/python3", "-m", "pytest", "-x", "-p", "no:cacheprovider", "test_odd.py"});
  CAPTURE(watched.program.errors);
  CHECK(watched.results == Results{{"test_odd.py::test_p[a b]", "pass"},
                                   {"test_odd.py::test_p[x[1]]", "pass"},
                                   {"test_odd.py::test_p[<&>]", "pass"},
                                   {"test_odd.py::test_p[a::b]", "hang"},
                                   {"test_odd.py::test_p[\\xfc]", "pass"},
                                   {"test_odd.py::test_p[]", "pass"},
                                   {"test_odd.py::test_fails", "fail"},
                                   {"test_odd.py::test_never", "missing"}});
  CHECK(contains(watched.program.errors, "test_odd.py\", line 8 in stuck"));
}

TEST_CASE("pytest-xdist: the frame is that of the worker that hangs, and the tests that it had not begun are run")
{
  const tests::TemporaryFolder folder;
  std::ofstream(folder.file("test_two.py")) << "import time\ndef test_hangs():\n  time.sleep(1000)\n"
                                               "def test_a(): pass\ndef test_b(): pass\n";
  const Watched watched =
      watch(folder, "4", {"/usr/bin/python3", "-m", "pytest", "-n", "2", "-p", "no:cacheprovider", "test_two.py"});
  CAPTURE(watched.program.errors);
  CHECK(watched.results ==
        Results{{"test_two.py::test_hangs", "hang"}, {"test_two.py::test_a", "pass"}, {"test_two.py::test_b", "pass"}});
  CHECK(contains(watched.program.errors, "test_two.py\", line 3 in test_hangs"));
}

/// A program that prints what a GoogleTest program prints.
constexpr const char* kLooksLikeGtest = R"python(
import os, sys, time
tests = ["Mask.Expands", "Mask.Hangs", "Mask.Dies", "Mask.Last"]
for argument in sys.argv[1:]:
    if argument == "--gtest_list_tests":
        print("Mask.\n" + "".join("  " + test[5:] + "\n" for test in tests) + "  DISABLED_Never")
        sys.exit(0)
    if argument.startswith("--gtest_filter="):
        tests = [test for test in tests if test in argument[15:].split(":")]
print("[==========] Running", len(tests), "tests from 1 test suite.", flush=True)
for test in tests:
    print("[ RUN      ] " + test, flush=True)
    if test == "Mask.Hangs":
        if os.fork() == 0:
            os.setsid()
        while True: pass
    if test == "Mask.Dies":
        os.abort()
    print("[       OK ] " + test + " (1 ms)", flush=True)
)python";

TEST_CASE("gtest: a test that spins and one that aborts cost themselves only")
{
  const tests::TemporaryFolder folder;
  std::ofstream(folder.file("mask_test.py")) << kLooksLikeGtest;
  const Watched watched = watch(folder, "2", {"python3", "-I", "-S", "mask_test.py"});
  CAPTURE(watched.program.errors);
  CHECK(watched.program.exit_code == 1);
  CHECK(watched.results ==
        Results{{"Mask.Expands", "pass"}, {"Mask.Hangs", "hang"}, {"Mask.Dies", "crash"}, {"Mask.Last", "pass"}});
  CHECK(contains(watched.report, "busy loop"));
  CHECK(contains(watched.program.errors, "died of signal 6"));
}

TEST_CASE("gtest, the real one: a mutex locked twice, and the rest of what the command's own filter leaves")
{
  const Results all{{"Mask.Expands", "pass"},
                    {"Mask.Deadlocks", "hang"},
                    {"Mask.Skips", "skip"},
                    {"All/Sizes.ArePositive/0", "pass"},
                    {"All/Sizes.ArePositive/1", "fail"},
                    {"Last.Passes", "pass"}};
  const std::vector<std::pair<std::string, Results>> rows{
      {"*", all}, {"-Last.*:All/*", {*all.find("Mask.Expands"), *all.find("Mask.Deadlocks"), *all.find("Mask.Skips")}}};
  for (const auto& [filter, results] : rows) {
    CAPTURE(filter);
    const tests::TemporaryFolder folder;
    const Watched watched = watch(folder, "2", {FLASHGATE_WATCHED_GTEST, "--gtest_filter=" + filter});
    CAPTURE(watched.program.errors);
    CHECK(watched.results == results);
    CHECK(contains(watched.report, "waiting for a lock"));
    CHECK(contains(watched.report, "Mask_Deadlocks_Test"));
  }
}

TEST_CASE("ctest: the test that hangs is named, and those after it run")
{
  const tests::TemporaryFolder folder;
  std::ofstream(folder.file("CTestTestfile.cmake")) << "add_test(first true)\nadd_test(hangs sleep 1000)\n"
                                                       "add_test(fails false)\nadd_test(last true)\n";
  const Watched watched = watch(folder, "2", {"ctest"});
  CAPTURE(watched.program.errors);
  CHECK(watched.program.exit_code == 1);
  CHECK(watched.results == Results{{"first", "pass"}, {"hangs", "hang"}, {"fails", "fail"}, {"last", "pass"}});
  CHECK(contains(watched.report, "sleeping"));
}

TEST_CASE("ctest: the rest of what -R, -E, -I and -j leave is run, and nothing else")
{
  const std::vector<std::pair<std::vector<std::string>, Results>> rows{
      {{"ctest", "-R", "hangs|last|odd"}, {{"hangs", "hang"}, {"odd (name) [x]", "pass"}, {"last", "pass"}}},
      {{"ctest", "-I", "2,4"}, {{"hangs", "hang"}, {"fails", "fail"}, {"odd (name) [x]", "pass"}}},
      {{"ctest", "-E", "first", "-I", "1,3"}, {{"hangs", "hang"}, {"fails", "fail"}, {"odd (name) [x]", "pass"}}},
      {{"ctest", "-j", "2", "-E", "odd"}, {{"first", "pass"}, {"hangs", "hang"}, {"fails", "fail"}, {"last", "pass"}}},
  };
  for (const auto& [command, results] : rows) {
    CAPTURE(command[1]);
    const tests::TemporaryFolder folder;
    std::ofstream(folder.file("CTestTestfile.cmake"))
        << "add_test(first true)\nadd_test(hangs sleep 1000)\nadd_test(fails false)\n"
           "add_test(\"odd (name) [x]\" true)\nadd_test(last true)\n";
    const Watched watched = watch(folder, "1", command);
    CAPTURE(watched.program.errors);
    CHECK(watched.results == results);
  }
}

TEST_CASE("a command that is no test runner is one test, by its end")
{
  struct Row
  {
    const char* script;
    int exit_code;
    const char* result;
    const char* told;
  };
  const std::vector<Row> rows{
      {"echo fine", 0, "pass", "1 test: 1 pass"},
      {"exit 7", 1, "fail", "ended with status 7"},
      {"kill -SEGV $$", 1, "crash", "died of signal 11"},
      {"head -c 50000000 /dev/zero; echo x; head -c 3000000 /dev/zero | tr '\\\\0' '\\\\n'", 0, "pass",
       "1 test: 1 pass"},
      {"echo last words; cat < fifo", 1, "hang", "no test was known to run"},
  };
  for (const Row& row : rows) {
    CAPTURE(row.script);
    const tests::TemporaryFolder folder;
    const Watched watched = watch(folder, "1", {"/bin/sh", "-c", std::string("mkfifo fifo; ") + row.script});
    CAPTURE(watched.program.errors);
    CHECK(watched.program.exit_code == row.exit_code);
    CHECK(watched.results == Results{{"(command)", row.result}});
    CHECK(contains(watched.program.errors, row.told));
  }
}

TEST_CASE("nothing of a watched tree survives, and what all tests skip is no pass")
{
  const tests::TemporaryFolder folder;
  const Watched left = watch(folder, "20", {"/bin/sh", "-c", "setsid sleep 1000 & echo $! > pid"});
  CHECK(left.program.exit_code == 0);
  const std::string pid = text_of(folder.file("pid"));
  CHECK_FALSE(pid.empty());
  CHECK_FALSE(std::filesystem::exists("/proc/" + pid.substr(0, pid.find('\n'))));

  std::ofstream(folder.file("CTestTestfile.cmake"))
      << "add_test(skips sh -c \"exit 5\")\nset_tests_properties(skips PROPERTIES SKIP_RETURN_CODE 5)\n";
  const Watched skipped = watch(folder, "20", {"ctest"});
  CHECK(skipped.program.exit_code == 5);
  CHECK(skipped.results == Results{{"skips", "skip"}});
}

}  // namespace
}  // namespace flashgate
