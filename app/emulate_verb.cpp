#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <iostream>
#include <system_error>

#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include "app/command_line.h"
#include "app/emulation_text.h"
#include "app/installation.h"
#include "gpu/emulator/finding.h"
#include "gpu/runtime/emulation_report.h"
#include "gpu/runtime/program_file.h"
#include "matrix/runner.h"
#include "reference/error.h"

namespace flashgate::app {
namespace {

namespace fs = std::filesystem;
using gpu::runtime::EmulationOptions;
using gpu::runtime::EmulationReport;

/// A folder of its own for the report, removed with all that is in it.
class ScratchFolder
{
 public:
  ScratchFolder()
  {
    std::string name = (fs::temp_directory_path() / "flashgate-emulate-XXXXXX").string();
    if (mkdtemp(name.data()) == nullptr) throw Error(name + ": can't be made: " + std::strerror(errno));
    path_ = name;
  }
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;
  ~ScratchFolder()
  {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }
  const fs::path& path() const { return path_; }

 private:
  fs::path path_;
};

EmulationOptions options_of(const CommandLine& line, const fs::path& report)
{
  EmulationOptions options;
  gpu::parse_checks(line.emulate.checks);  // throws where a word is wrong, before anything starts
  options.checks = line.emulate.checks;
  options.schedules = static_cast<std::uint32_t>(line.emulate.schedules);
  const std::string& arch = line.emulate.arch;
  if (!arch.starts_with("sm_") || arch.size() < 5 || arch.size() > 6 ||
      arch.find_first_not_of("0123456789", 3) != std::string::npos)
    throw Error("emulate: --arch is '" + arch + "', expected sm_80 or another sm_NN");
  options.architecture = static_cast<std::uint32_t>(std::stoul(arch.substr(3)));
  options.multiprocessors = static_cast<std::uint32_t>(line.emulate.sms);
  options.memory_bytes = static_cast<std::uint64_t>(line.emulate.memory_gib * double(1U << 30));
  options.instruction_budget = line.emulate.budget;
  options.report = report;
  return options;
}

/// Becomes the program. Returns only in the parent: the program's wait status.
int run_program(const fs::path& program, const std::vector<std::string>& command, const fs::path& runtime,
                const EmulationOptions& options)
{
  std::vector<char*> arguments;
  for (const std::string& word : command)
    arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  const char* preload = std::getenv("LD_PRELOAD");
  const std::string preloaded = runtime.string() + (preload == nullptr ? "" : std::string(":") + preload);
  const std::string text = to_text(options);
  const pid_t child = fork();
  if (child < 0) throw Error(std::string("emulate: fork: ") + std::strerror(errno));
  if (child == 0) {
    setenv("LD_PRELOAD", preloaded.c_str(), 1);
    setenv(gpu::runtime::kOptionsVariable, text.c_str(), 1);
    execv(program.c_str(), arguments.data());
    std::fprintf(stderr, "flashgate: %s: %s\n", program.c_str(), std::strerror(errno));
    _exit(static_cast<int>(matrix::ExitCode::cannot_run));
  }
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  return status;
}

bool has_fault(const EmulationReport& report)
{
  for (const gpu::runtime::ReportedFinding& finding : report.findings)
    if (!finding.warning) return true;
  return false;
}

/// The exit code, and the line that says why it is not 0.
matrix::ExitCode judge(const EmulationReport& report, int status, std::string& why)
{
  if (WIFSIGNALED(status)) {
    why = fmt::format("program was killed by signal {} ({})", WTERMSIG(status), strsignal(WTERMSIG(status)));
    return matrix::ExitCode::failures;
  }
  if (WEXITSTATUS(status) != 0) why = fmt::format("program exited {}", WEXITSTATUS(status));
  if (has_fault(report)) return matrix::ExitCode::failures;
  if (!report.refused.empty()) return matrix::ExitCode::cannot_run;
  if (WEXITSTATUS(status) != 0) return matrix::ExitCode::failures;
  if (!report.kernels.empty()) return matrix::ExitCode::as_expected;
  why = "nothing was emulated: the program launched no kernel";
  return matrix::ExitCode::nothing_ran;
}

}  // namespace

int emulate_verb(const CommandLine& line)
{
  const fs::path runtime = emulation_runtime();
  const fs::path program = gpu::runtime::find_program(line.emulate.command.front());
  gpu::runtime::check_program(program, runtime.filename().string());
  const ScratchFolder scratch;
  const EmulationOptions options = options_of(line, scratch.path() / "report.json");
  const int status = run_program(program, line.emulate.command, runtime, options);
  const EmulationReport report =
      fs::exists(options.report) ? gpu::runtime::read_report(options.report) : EmulationReport{};
  std::string why;
  const matrix::ExitCode code = judge(report, status, why);
  if (!line.emulate.report.empty()) gpu::runtime::write_report(report, line.emulate.report);
  std::cerr << emulation_text(report, options);
  if (!why.empty()) std::cerr << "flashgate: " << why << '\n';
  return static_cast<int>(code);
}

}  // namespace flashgate::app
