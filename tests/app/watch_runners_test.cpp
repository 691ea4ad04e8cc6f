// How `watch` reads what test runners print, and how it makes them run the rest.
#include <doctest/doctest.h>

#include "app/watch/line_reader.h"
#include "app/watch/test_runner.h"

namespace flashgate::app {
namespace {

using matrix::Verdict;

std::vector<std::string> read(TestRunner& runner, TestBook& book, const std::vector<std::string>& lines)
{
  for (const std::string& line : lines)
    runner.read_output(line, book);
  return book.running();
}

/// "name verdict" of each test.
std::vector<std::string> verdicts(const TestBook& book)
{
  std::vector<std::string> texts;
  for (const WatchedTest& test : book.tests())
    texts.push_back(test.name + " " + std::string(verdict_name(test.verdict)));
  return texts;
}

using Texts = std::vector<std::string>;

TEST_CASE("a runner is known by its command, or by what it prints first")
{
  struct Row
  {
    Texts command;
    std::string_view name;
  };
  const std::vector<Row> rows{{{"pytest", "-q"}, "pytest"},
                              {{"/usr/bin/pytest-3"}, "pytest"},
                              {{"python3", "-m", "pytest"}, "pytest"},
                              {{"python3.11", "-X", "dev", "-m", "pytest"}, "pytest"},
                              {{"python3", "-m", "unittest"}, ""},
                              {{"python3", "pytest"}, ""},
                              {{"/opt/bin/ctest", "-j4"}, "ctest"},
                              {{"./my_test"}, ""}};
  for (const Row& row : rows) {
    const auto runner = runner_by_name(row.command);
    CAPTURE(row.command.back());
    CHECK((runner ? runner->name() : "") == row.name);
  }
  CHECK(runner_by_output("[==========] Running 3 tests from 1 test suite.")->name() == "gtest");
  CHECK(runner_by_output("Running main() from gtest_main.cc") == nullptr);
}

TEST_CASE("gtest: tests start, pass, fail and are skipped, also behind text without a line end")
{
  const auto runner = make_gtest_runner();
  TestBook book;
  CHECK(read(*runner, book,
             {"[ RUN      ] Mask.Expands", "[       OK ] Mask.Expands (3 ms)", "[ RUN      ] Mask.Fails",
              "half a line[  FAILED  ] Mask.Fails, where GetParam() = 3 (1500 ms)", "[ RUN      ] Mask.Skips",
              "[  SKIPPED ] Mask.Skips (0 ms)", "[ RUN      ] Mask.Hangs"}) == Texts{"Mask.Hangs"});
  CHECK(verdicts(book) == Texts{"Mask.Expands pass", "Mask.Fails fail", "Mask.Skips skip", "Mask.Hangs missing"});
  CHECK(book.tests()[1].seconds == 1.5);
  CHECK_FALSE(book.tests()[1].detail.empty());
  CHECK(read(*runner, book, {"[  FAILED  ] Mask.Expands", "[  FAILED  ] 1 test, listed below:"}).size() == 1);
  CHECK(verdicts(book)[0] == "Mask.Expands pass");
  CHECK(book.tests().size() == 4);
  CHECK(runner->rest_of({"./mask_test", "--gtest_color=no"}, book) ==
        Texts{"./mask_test", "--gtest_color=no", "--gtest_filter=Mask.Hangs"});
}

TEST_CASE("ctest: several tests run at once, and each way to end has its verdict")
{
  const auto runner = make_ctest_runner();
  TestBook book;
  CHECK(read(*runner, book,
             {"      Start  1: format", "      Start 12: gpu programs", "      Start  3: crash", "      Start 4: late",
              " 1/19 Test  #1: format ...........................   Passed    1.96 sec",
              " 2/19 Test  #3: crash ............................***Exception: SegFault  0.02 sec",
              " 3/19 Test  #4: late .............................***Timeout  10.01 sec",
              " 4/19 Test  #5: bad ..............................***Failed    0.00 sec",
              " 5/19 Test  #6: none .............................***Not Run   0.00 sec",
              " 6/19 Test  #7: left .............................***Skipped   0.00 sec"}) == Texts{"gpu programs"});
  CHECK(verdicts(book) == Texts{"format pass", "gpu programs missing", "crash crash", "late timeout", "bad fail",
                                "none error", "left skip"});
  CHECK(book.tests()[0].seconds == 1.96);
}

TEST_CASE("pytest: the first phase that is no pass decides, and a pass is known at the end")
{
  const auto runner = make_pytest_runner();
  TestBook book;
  const auto event = [&](const std::string& kind, const std::string& test, const std::string& more = "") {
    return runner->read_event(R"({"event":")" + kind + R"(","test":")" + test + "\"" + more + "}", book);
  };
  const std::string call = R"(,"when":"call","outcome":)", setup = R"(,"when":"setup","outcome":)";
  for (const char* test : {"a", "b", "c", "d", "e"})
    CHECK(event("test", test));
  for (const char* test : {"a", "b", "c", "d"})
    event("start", test);
  event("report", "a", setup + R"("passed","seconds":9)");
  event("report", "a", call + R"("passed","seconds":2.5)");
  CHECK(book.running().size() == 4);
  event("finish", "a");
  event("report", "b", call + R"("failed","text":"line\nE   assert 1 == 2\nlast")");
  event("finish", "b");
  event("report", "c", setup + R"("failed","text":"no fixture")");
  event("report", "d", setup + R"("skipped","text":"no GPU")");
  CHECK(verdicts(book) == Texts{"a pass", "b fail", "c error", "d skip", "e missing"});
  CHECK(book.tests()[0].seconds == 2.5);
  CHECK(book.tests()[1].detail == "assert 1 == 2");
  CHECK(book.tests()[2].detail == "setup: no fixture");
  CHECK_FALSE(runner->read_event("no json", book));
  CHECK_FALSE(runner->read_event("[1]", book));
}

TEST_CASE("a test that has ended stays as it is, and all that run share a hang")
{
  TestBook book;
  for (const char* name : {"a", "b", "c"})
    book.start(name);
  book.finish("a", Verdict::pass, 1, "");
  book.finish("a", Verdict::fail, 1, "again");
  book.announce("d");
  book.finish_running({"", Verdict::hang, 7, "why", "stacks"});
  CHECK(verdicts(book) == Texts{"a pass", "b hang", "c hang", "d missing"});
  CHECK(book.tests()[2].evidence == "stacks");
  CHECK(book.not_ended() == Texts{"d"});
  CHECK(book.ended() == Texts{"a", "b", "c"});
}

TEST_CASE("colours and carriage returns are no part of a line")
{
  CHECK(without_colours("\x1b[32m[ RUN      ] \x1b[0mMask.Expands\r") == "[ RUN      ] Mask.Expands");
  CHECK(without_colours("plain") == "plain");
  CHECK(without_colours("cut \x1b[3") == "cut ");
}

}  // namespace
}  // namespace flashgate::app
