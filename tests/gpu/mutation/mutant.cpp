#include "tests/gpu/mutation/mutant.h"

#include <fstream>
#include <map>
#include <random>
#include <sstream>
#include <utility>

#include <fmt/format.h>

#include "tests/gpu/mutation/mutation_rules.h"

namespace flashgate::gpu::mutation {
namespace {

std::vector<std::string> split_lines(std::istream& in)
{
  std::vector<std::string> lines;
  for (std::string line; std::getline(in, line);)
    lines.push_back(std::move(line));
  return lines;
}

std::string trimmed(const std::string& text)
{
  const std::size_t first = text.find_first_not_of(" \t");
  return first == std::string::npos ? std::string() : text.substr(first, text.find_last_not_of(" \t\r") - first + 1);
}

/// Lines of source files, each read once.
class SourceLines
{
 public:
  std::string line(const std::string& file, std::uint32_t number)
  {
    const auto [place, is_new] = files_.try_emplace(file);
    if (is_new) {
      std::ifstream in(file);
      place->second = split_lines(in);
    }
    return number >= 1 && number <= place->second.size() ? trimmed(place->second[number - 1]) : std::string();
  }

 private:
  std::map<std::string, std::vector<std::string>> files_;
};

/// An instruction of the entry that stands alone on its line.
struct Site
{
  int line;
  PtxLine instruction;
  std::string source;
  std::string place;
};

/// The innermost place in our own sources: what a CUDA header does belongs to the line that called it.
const SourcePlace* own_place(const Program& program, std::int32_t location)
{
  for (; location >= 0; location = program.places[static_cast<std::size_t>(location)].inlined_at) {
    const SourcePlace& place = program.places[static_cast<std::size_t>(location)];
    if (place.file.find("gpu/kernels/") != std::string_view::npos) return &place;
  }
  return nullptr;
}

std::string without_ptx_line(std::string site)
{
  const std::size_t end = site.rfind(" (ptx line ");
  return end == std::string::npos ? std::string() : site.substr(0, end);
}

std::vector<Site> find_sites(const std::string& text, const Program& program)
{
  std::istringstream in(text);
  const std::vector<std::string> lines = split_lines(in);
  SourceLines sources;
  std::vector<Site> sites;
  int last = 0;
  for (std::size_t i = 0; i < program.sites.size(); ++i) {
    const int line = program.sites[i].ptx_line;
    if (line <= last || line > static_cast<int>(lines.size())) continue;
    last = line;
    const std::optional<PtxLine> parsed = parse_line(lines[static_cast<std::size_t>(line - 1)]);
    const SourcePlace* own = own_place(program, program.sites[i].location);
    if (!parsed || own == nullptr) continue;
    sites.push_back({line, *parsed, sources.line(std::string(own->file), own->line),
                     without_ptx_line(describe_site(program, static_cast<std::int32_t>(i)))});
  }
  return sites;
}

/// Draws one of a place's mutants. The draw depends on nothing but the seed, the rule and the place, so that an edit
/// elsewhere changes no other mutant.
const Mutant& draw(const std::vector<Mutant>& candidates, std::uint64_t seed)
{
  const std::string key = candidates.front().entry + candidates.front().rule + candidates.front().source;
  std::uint64_t hash = 0xCBF29CE484222325ULL ^ seed;  // FNV-1a, as std::hash differs between libraries
  for (const char c : key)
    hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001B3ULL;
  return candidates[std::mt19937_64(hash)() % candidates.size()];
}

/// The rule's mutants of all sites, by place, places in the order of the text.
std::vector<std::vector<Mutant>> mutants_by_place(const MutationRule& rule, const std::vector<Site>& sites,
                                                  const std::string& module, const std::string& entry)
{
  std::vector<std::vector<Mutant>> places;
  std::map<std::string, std::size_t> index_of;
  for (const Site& site : sites)
    for (std::string& after : rule.apply(site.instruction)) {
      const auto [known, is_new] = index_of.try_emplace(site.place, places.size());
      if (is_new) places.emplace_back();
      places[known->second].push_back({module, entry, std::string(rule.name), site.line, to_text(site.instruction),
                                       std::move(after), site.source, site.place});
    }
  return places;
}

}  // namespace

std::vector<Mutant> make_mutants(const std::string& module, const std::string& text, const Program& program,
                                 std::uint64_t seed, bool all)
{
  const std::vector<Site> sites = find_sites(text, program);
  std::vector<Mutant> mutants;
  for (const MutationRule& rule : mutation_rules())
    for (const std::vector<Mutant>& place : mutants_by_place(rule, sites, module, program.name)) {
      if (all || rule.takes_every_line)
        mutants.insert(mutants.end(), place.begin(), place.end());
      else
        mutants.push_back(draw(place, seed));
    }
  return mutants;
}

std::string mutated_text(const std::string& text, const Mutant& mutant)
{
  std::size_t begin = 0;
  for (int line = 1; line < mutant.line; ++line)
    begin = text.find('\n', begin) + 1;
  std::string mutated = text;
  return mutated.replace(begin, text.find('\n', begin) - begin, mutant.after);
}

std::string describe(const Mutant& mutant)
{
  return fmt::format("{}: {}: `{}` -> `{}`, from `{}` at {}", mutant.entry, mutant.rule, mutant.before, mutant.after,
                     mutant.source, mutant.place);
}

}  // namespace flashgate::gpu::mutation
