// Reading a git repository, and refusing what can't be a ref.
#include "sim/checkout/git_repository.h"

#include <cstdlib>
#include <fstream>
#include <string>

#include <doctest/doctest.h>

#include "reference/error.h"
#include "tests/temporary_folder.h"

namespace flashgate::sim {
namespace {

void shell(const tests::TemporaryFolder& folder, const std::string& commands)
{
  const std::string script = "cd '" + folder.path().string() + "' && export GIT_AUTHOR_NAME=t GIT_AUTHOR_EMAIL=t@e " +
                             "GIT_COMMITTER_NAME=t GIT_COMMITTER_EMAIL=t@e GIT_CONFIG_GLOBAL=/dev/null && " + commands;
  REQUIRE(std::system(script.c_str()) == 0);
}

/// Three commits: a.py with three lines; its second line changed and two appended; a.py renamed to b.py.
void make_history(const tests::TemporaryFolder& folder)
{
  shell(folder,
        "git init -q . && printf '1\\n2\\n3\\n' > a.py && echo text > note.txt && git add . && git commit -qm first "
        "&& printf '1\\ntwo\\n3\\n4\\n5\\n' > a.py && git commit -qam 'second <b>' "
        "&& git mv a.py b.py && git commit -qm third && echo dirty > b.py");
}

TEST_CASE("files, commits and changed lines are read at a ref, whatever the working tree holds")
{
  const tests::TemporaryFolder folder;
  make_history(folder);
  const GitRepository repository(folder.path().string());
  const std::string first = repository.resolve("HEAD~2");
  CHECK(first.size() == 40);
  CHECK(repository.file_at("HEAD", "b.py") == "1\ntwo\n3\n4\n5\n");
  CHECK(repository.paths_at("HEAD~2", ".py") == std::vector<std::string>{"a.py"});
  REQUIRE(repository.files_at("HEAD~1", ".py").size() == 1);
  CHECK(repository.files_at("HEAD~1", ".py")[0].text == "1\ntwo\n3\n4\n5\n");
  CHECK(repository.commit("HEAD~1").subject == "second <b>");
  const auto commits = repository.commits_between("HEAD~2", "HEAD");
  REQUIRE(commits.size() == 2);
  CHECK(commits[0].subject == "second <b>");
  CHECK(commits[1].id == repository.resolve("HEAD"));
  const auto changed = repository.changed_lines("HEAD~2", "HEAD~1", ".py");
  REQUIRE(changed.size() == 1);
  CHECK(changed[0].path == "a.py");
  CHECK(changed[0].lines == std::vector<LineRange>{{2, 2}, {4, 5}});
  CHECK(repository.changed_lines("HEAD~1", "HEAD", ".py").empty());
  shell(folder, "test \"$(cat b.py)\" = dirty");
}

TEST_CASE("a ref that can't be one is refused before git sees it")
{
  const tests::TemporaryFolder folder;
  make_history(folder);
  const GitRepository repository(folder.path().string());
  for (const char* ref : {"", "-x", "--output=f", "a b", "a\nb", "HEAD:b.py", "\x01", "no-such-ref"}) {
    CAPTURE(ref);
    std::string why;
    try {
      repository.resolve(ref);
    } catch (const Error& error) {
      why = error.what();
    }
    CHECK_FALSE(why.empty());
    CHECK(why.find('\n') == std::string::npos);
  }
  CHECK_THROWS_AS(repository.file_at("HEAD", "../b.py"), Error);
  CHECK_THROWS_AS(GitRepository("/nowhere/at/all"), Error);
}

}  // namespace
}  // namespace flashgate::sim
