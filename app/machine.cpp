#include "app/machine.h"

#include <cstdio>
#include <cstdlib>
#include <memory>

#include <fmt/format.h>

#include "matrix/texts.h"

namespace flashgate::app {
namespace {

std::optional<sim::Device> device_of_capability(int major)
{
  switch (major) {
    case 8:
      return sim::Device::sm80;
    case 9:
      return sim::Device::sm90;
    case 10:
      return sim::Device::sm100;
    case 12:
      return sim::Device::sm120;
    default:
      return std::nullopt;
  }
}

int flag_from_environment(const char* name, int otherwise)
{
  const char* text = std::getenv(name);
  return text == nullptr ? otherwise : std::atoi(text);
}

bool truth_from_environment(const char* name)
{
  const char* text = std::getenv(name);
  const std::string value = text == nullptr ? "" : text;
  return value == "1" || value == "true" || value == "True";
}

}  // namespace

std::optional<std::string> first_line_of(const std::string& arguments)
{
  const std::string command = "timeout 10 " + arguments + " 2>/dev/null";
  const std::unique_ptr<FILE, int (*)(FILE*)> pipe(popen(command.c_str(), "r"), pclose);
  if (!pipe) return std::nullopt;
  char line[256];
  if (std::fgets(line, sizeof line, pipe.get()) == nullptr) return std::nullopt;
  return std::string(matrix::trim(line));
}

MachineView look_at_machine()
{
  MachineView view;
  const auto capability = first_line_of("nvidia-smi --query-gpu=compute_cap --format=csv,noheader");
  if (!capability) {
    view.device_text = "no NVIDIA GPU found (nvidia-smi is missing or sees none)";
  } else {
    view.device = device_of_capability(std::atoi(capability->c_str()));
    view.device_text = fmt::format("compute capability {}", matrix::printable(*capability));
  }
  view.v4_imports = first_line_of("python3 -c \"import paddlefleet_ops.flash_mask.cute; print('yes')\"").has_value();
  view.flags.version = flag_from_environment("FLAGS_flash_attn_version", 2);
  view.flags.deterministic = truth_from_environment("FLAGS_cudnn_deterministic");
  return view;
}

}  // namespace flashgate::app
