#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace flashgate::gpu::runtime {

/// What `flashgate emulate` asks of the stand-in runtime inside the program. Travels as one environment variable.
struct EmulationOptions
{
  std::string checks;                 ///< as parse_checks() takes them; empty: all
  std::uint32_t schedules = 1;        ///< launches are repeated from a snapshot under so many orders
  std::uint32_t architecture = 80;    ///< sm_80
  std::uint32_t multiprocessors = 4;  ///< as reported to the program: persistent kernels start so many blocks
  std::uint64_t memory_bytes = std::uint64_t{8} << 30;
  std::uint64_t instruction_budget = 0;  ///< per launch; 0: the emulator's own
  std::filesystem::path report;          ///< file that the report is written to

  bool operator==(const EmulationOptions&) const = default;
};

/// The environment variable's name, and its text for these options.
inline constexpr const char* kOptionsVariable = "FLASHGATE_EMULATE";
std::string to_text(const EmulationOptions& options);

/// Throws Error for text that to_text() did not make.
EmulationOptions parse_emulation_options(const std::string& text);

/// One kernel of the program, over all of its launches.
struct KernelSummary
{
  std::string name;  ///< demangled
  std::uint64_t launches = 0;
  std::uint64_t blocks = 0;
  std::uint64_t instructions = 0;  ///< warp instructions of the natural order
  std::uint64_t shared_bank_conflicts = 0;
  std::uint64_t global_sectors = 0;
  std::uint64_t global_bytes = 0;
  bool varies = false;  ///< memory differed between schedules: promised nothing, so no finding

  bool operator==(const KernelSummary&) const = default;
};

/// A finding in words.
struct ReportedFinding
{
  std::string check;
  std::string kernel;
  std::string place;    ///< "block (0,0,0) warp 2 lanes 0-15"
  std::string site;     ///< "file.cu:12 (ptx line 118)"
  std::string earlier;  ///< site of the other access; may be empty
  std::string detail;
  std::uint64_t count = 0;
  bool warning = false;

  bool operator==(const ReportedFinding&) const = default;
};

/// What happened on the emulated device while the program ran.
struct EmulationReport
{
  std::vector<KernelSummary> kernels;
  std::vector<ReportedFinding> findings;
  std::vector<std::string> refused;  ///< calls and instructions that are not supported, by name, each once
  bool finished = false;             ///< the program ended through exit(), so that the report is whole

  bool operator==(const EmulationReport&) const = default;
};

/// Writes the file in one step, so that a reader sees an old report or this one. Throws Error.
void write_report(const EmulationReport& report, const std::filesystem::path& file);

/// Throws Error if there is no report.
EmulationReport read_report(const std::filesystem::path& file);

}  // namespace flashgate::gpu::runtime
