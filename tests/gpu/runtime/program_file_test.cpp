#include "gpu/runtime/program_file.h"

#include <filesystem>
#include <fstream>

#include <doctest/doctest.h>
#include <unistd.h>

#include "reference/error.h"

namespace flashgate::gpu::runtime {
namespace {

namespace fs = std::filesystem;

TEST_CASE("a program without CUDA passes: an interpreter may load it later")
{
  CHECK_NOTHROW(check_program("/proc/self/exe", "libcudart.so.13"));
}

TEST_CASE("what is no program for this machine is refused by name")
{
  const fs::path file = fs::temp_directory_path() / ("flashgate-program-" + std::to_string(getpid()));
  for (const char* content : {"", "#!/bin/sh\nexit 0\n",
                              "\x7F"
                              "ELF",
                              "\x7F"
                              "ELF\x02\x01\x01"}) {
    CAPTURE(content);
    std::ofstream(file) << content;
    CHECK_THROWS_AS(check_program(file, "libcudart.so.13"), Error);
  }
  fs::remove(file);
  CHECK_THROWS_WITH_AS(check_program(file, "libcudart.so.13"), (file.string() + ": can't be read").c_str(), Error);
}

TEST_CASE("a program with the static CUDA runtime is told how to be built")
{
  CHECK_THROWS_WITH_AS(check_program(STATIC_RUNTIME_PROGRAM, "libcudart.so.13"),
                       STATIC_RUNTIME_PROGRAM
                       ": holds CUDA code but is linked with the static CUDA runtime; build it with "
                       "`nvcc -cudart shared -gencode arch=compute_80,code=compute_80`",
                       Error);
}

TEST_CASE("programs are found as a shell finds them")
{
  CHECK(find_program("sh").filename() == "sh");
  CHECK(find_program("/bin/sh") == "/bin/sh");
  CHECK_THROWS_WITH_AS(find_program("no-such-program-at-all"), "no-such-program-at-all: no such program on PATH",
                       Error);
  CHECK_THROWS_AS(find_program("/no/such/program"), Error);
  CHECK_THROWS_AS(find_program(FLASHGATE_SOURCE_DIR "/README.md"), Error);
  CHECK_THROWS_AS(find_program(""), Error);
}

}  // namespace
}  // namespace flashgate::gpu::runtime
