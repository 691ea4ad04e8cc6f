#include "gpu/kernels/ptxas_report.h"

#include <fstream>
#include <iterator>
#include <regex>
#include <sstream>

#include <fmt/format.h>

#include "reference/error.h"

namespace flashgate::gpu::kernels {
namespace {

constexpr const char* kReportFile = "ptxas.txt";

/// The kernel that lines are about, and which of its two lines were seen.
struct Reading
{
  PtxasFigures figures;
  int begun_at = 0;  ///< line; 0: no kernel
  bool has_spills = false;
  bool has_registers = false;

  bool is_complete() const { return has_spills && has_registers; }
};

/// The number before `words` in a line; `otherwise` if they are not there.
int number_before(const std::string& line, const std::string& words, int otherwise)
{
  std::smatch match;
  return std::regex_search(line, match, std::regex("([0-9]+) " + words)) ? std::stoi(match[1]) : otherwise;
}

void finish(Reading& reading, std::vector<PtxasFigures>& all, const std::string& file)
{
  if (reading.begun_at == 0) return;
  if (!reading.is_complete())
    throw Error(
        fmt::format("{}:{}: expected spills and registers of {}", file, reading.begun_at, reading.figures.entry));
  all.push_back(reading.figures);
  reading = {};
}

void read_line(const std::string& line, Reading& reading)
{
  if (line.find("bytes spill stores") != std::string::npos) {
    reading.figures.stack_bytes = number_before(line, "bytes stack frame", 0);
    reading.figures.spill_store_bytes = number_before(line, "bytes spill stores", 0);
    reading.figures.spill_load_bytes = number_before(line, "bytes spill loads", 0);
    reading.has_spills = true;
  }
  std::smatch match;
  if (std::regex_search(line, match, std::regex("Used ([0-9]+) registers"))) {
    reading.figures.registers = std::stoi(match[1]);
    reading.figures.shared_bytes = number_before(line, "bytes smem", 0);
    reading.has_registers = true;
  }
}

}  // namespace

std::vector<PtxasFigures> parse_ptxas_report(std::string_view text, const std::string& file)
{
  static const std::regex kEntry("Compiling entry function '([^']+)' for '([^']+)'");
  std::vector<PtxasFigures> all;
  Reading reading;
  std::istringstream in{std::string(text)};
  int number = 0;
  for (std::string line; std::getline(in, line);) {
    ++number;
    std::smatch match;
    if (std::regex_search(line, match, kEntry)) {
      finish(reading, all, file);
      reading.begun_at = number;
      reading.figures.entry = match[1];
      reading.figures.target = match[2];
    } else if (reading.begun_at != 0) {
      read_line(line, reading);
    }
  }
  finish(reading, all, file);
  return all;
}

std::vector<PtxasFigures> read_ptxas_report(const std::string& folder, std::string& why_not)
{
  const std::string path = folder + "/" + kReportFile;
  std::ifstream in(path, std::ios::binary);
  if (!in) {
    why_not = path + " was not made: ptxas was not found, or the target gpu_kernels_ptxas not built";
    return {};
  }
  return parse_ptxas_report(std::string(std::istreambuf_iterator<char>(in), {}), path);
}

}  // namespace flashgate::gpu::kernels
