#include "app/watch/test_runner.h"

namespace flashgate::app {
namespace {

std::string_view file_name(std::string_view path) { return path.substr(path.rfind('/') + 1); }

bool is_pytest(const std::vector<std::string>& command)
{
  const std::string_view program = file_name(command.front());
  if (program == "pytest" || program == "pytest-3" || program == "py.test") return true;
  if (!program.starts_with("python")) return false;
  for (std::size_t i = 1; i + 1 < command.size(); ++i)
    if (command[i] == "-m") return command[i + 1] == "pytest";
  return false;
}

}  // namespace

std::unique_ptr<TestRunner> runner_by_name(const std::vector<std::string>& command)
{
  if (is_pytest(command)) return make_pytest_runner();
  if (file_name(command.front()) == "ctest") return make_ctest_runner();
  return nullptr;
}

std::unique_ptr<TestRunner> runner_by_output(std::string_view line)
{
  const bool runs_tests = line.starts_with("[==========] Running ");
  return runs_tests ? make_gtest_runner() : nullptr;
}

}  // namespace flashgate::app
