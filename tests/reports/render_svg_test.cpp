#include "reports/render_svg.h"

#include <chrono>
#include <cstdlib>
#include <fstream>

#include <doctest/doctest.h>

#include "example_run.h"
#include "tests/temporary_folder.h"

namespace flashgate::reports {
namespace {

using namespace std::chrono_literals;

/// Sets PATH for as long as it lives.
class PathVariable
{
 public:
  explicit PathVariable(const std::string& value) : before_(std::getenv("PATH")) { setenv("PATH", value.c_str(), 1); }
  ~PathVariable() { setenv("PATH", before_.c_str(), 1); }
  PathVariable(const PathVariable&) = delete;
  PathVariable& operator=(const PathVariable&) = delete;

 private:
  std::string before_;
};

void write(const std::filesystem::path& path, const std::string& text) { std::ofstream(path) << text; }

void write_script(const std::filesystem::path& path, const std::string& body)
{
  write(path, "#!/bin/sh\n" + body + "\n");
  std::filesystem::permissions(path, std::filesystem::perms::owner_all);
}

/// A folder with a DOT file, and a subfolder for programs of our own.
struct Scene
{
  tests::TemporaryFolder folder;
  std::filesystem::path dot = folder.path() / "g.dot", svg = folder.path() / "g.svg", bin = folder.path() / "bin";

  Scene()
  {
    std::filesystem::create_directory(bin);
    write(dot, "digraph g { a -> b; }\n");
  }
  Rendering render(std::chrono::milliseconds limit = kRenderLimit) const { return render_svg(dot, svg, limit); }
  /// Programs of `bin` come first.
  std::string path_variable() const { return bin.string() + ":" + std::getenv("PATH"); }
};

}  // namespace

TEST_CASE("a missing Graphviz is told, not thrown")
{
  const Scene scene;
  write(scene.svg, "old");
  {
    const PathVariable path(scene.bin.string());
    const Rendering rendering = scene.render();
    CHECK(!rendering.done);
    CHECK(rendering.reason.find("dot: ") != std::string::npos);
    CHECK(rendering.reason.find("sfdp: ") != std::string::npos);
  }
  CHECK(tests::read_file(scene.svg) == "old");
  CHECK(!exists(scene.folder.path() / "g.svg.part"));
}

TEST_CASE("a dot that is not there is named, also when timeout is")
{
  const Scene scene;
  std::filesystem::create_symlink("/usr/bin/timeout", scene.bin / "timeout");
  const PathVariable path(scene.bin.string());
  CHECK(scene.render().reason == "dot: not found; sfdp: not found");
}

TEST_CASE("Graphviz draws a graph")
{
  const Scene scene;
  const Rendering rendering = scene.render();
  if (rendering.reason.find("not found") != std::string::npos) return;  // no Graphviz here
  REQUIRE(rendering.done);
  CHECK(rendering.tool == "dot");
  CHECK(rendering.reason.empty());
  CHECK(tests::read_file(scene.svg).find("<svg") != std::string::npos);
}

TEST_CASE("a dot that takes too long is killed with its children, and sfdp draws")
{
  const Scene scene;
  write_script(scene.bin / "dot", "sleep 60");
  write_script(scene.bin / "sfdp", "while [ \"$1\" != -o ]; do shift; done; echo '<svg/>' > \"$2\"");
  const PathVariable path(scene.path_variable());
  const auto start = std::chrono::steady_clock::now();
  const Rendering rendering = scene.render(200ms);
  CHECK(std::chrono::steady_clock::now() - start < 10s);
  CHECK(rendering.done);
  CHECK(rendering.tool == "sfdp");
  CHECK(rendering.reason == "dot: timed out after 0.2 s");
  CHECK(tests::read_file(scene.svg) == "<svg/>\n");
}

TEST_CASE("what Graphviz says against a graph is passed on as one line")
{
  const Scene scene;
  write_script(scene.bin / "dot", "echo 'syntax error near }' >&2; echo more >&2; exit 1");
  write_script(scene.bin / "sfdp", "exit 0");
  const PathVariable path(scene.path_variable());
  const Rendering rendering = scene.render();
  CHECK(!rendering.done);
  CHECK(rendering.reason == "dot: exit code 1: syntax error near }; sfdp: wrote nothing");
  CHECK(!exists(scene.svg));
}

TEST_CASE("no file name is taken for an option or a command")
{
  const Scene scene;
  write_script(scene.bin / "dot", "for last; do :; done; while [ \"$1\" != -o ]; do shift; done; cp \"$last\" \"$2\"");
  const PathVariable path(scene.path_variable());
  const std::filesystem::path odd = scene.folder.path() / "-v $(touch pwned) 'x'.dot";
  write(odd, "graph {}");
  CHECK(render_svg(odd, scene.svg).done);
  CHECK(tests::read_file(scene.svg) == "graph {}");
  CHECK(!std::filesystem::exists("pwned"));
}

}  // namespace flashgate::reports
