#include "gpu/emulator/program.h"

namespace flashgate::gpu {
namespace {

std::string place_text(const SourcePlace& place)
{
  const std::size_t slash = place.file.rfind('/');
  const std::string_view name = slash == std::string_view::npos ? place.file : place.file.substr(slash + 1);
  return std::string(name) + ":" + std::to_string(place.line);
}

}  // namespace

std::string_view class_name(InstructionClass c)
{
  static constexpr std::array<std::string_view, kInstructionClassCount> kNames{"integer",
                                                                               "floating",
                                                                               "conversion",
                                                                               "move",
                                                                               "predicate",
                                                                               "special_function",
                                                                               "matrix",
                                                                               "load_store_shared",
                                                                               "load_store_global",
                                                                               "load_store_other",
                                                                               "async_copy",
                                                                               "atomic",
                                                                               "warp",
                                                                               "barrier",
                                                                               "branch",
                                                                               "other"};
  return kNames[static_cast<std::size_t>(c)];
}

std::string describe_site(const Program& program, std::int32_t instruction)
{
  if (instruction < 0 || static_cast<std::size_t>(instruction) >= program.sites.size()) return "";
  const InstructionSite& site = program.sites[instruction];
  const std::string line = "ptx line " + std::to_string(site.ptx_line);
  if (site.location < 0) return line;
  std::vector<std::int32_t> chain;
  for (std::int32_t at = site.location; at >= 0; at = program.places[at].inlined_at)
    chain.push_back(at);
  // The kernel's own file is where the chain ends; what came before its first place there are headers.
  const std::string_view own = program.places[chain.back()].file;
  std::size_t first = 0;
  while (program.places[chain[first]].file != own)
    ++first;
  std::string text = place_text(program.places[chain[first]]);
  for (std::size_t at = first + 1; at < chain.size(); ++at)
    text += " < " + place_text(program.places[chain[at]]);
  if (first != 0) {
    text += ", in ";
    for (std::size_t at = 0; at < first; ++at)
      text += (at == 0 ? "" : " < ") + place_text(program.places[chain[at]]);
  }
  return text + " (" + line + ")";
}

}  // namespace flashgate::gpu
