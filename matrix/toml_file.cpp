#include "matrix/toml_file.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "matrix/texts.h"
#include "reference/error.h"

namespace flashgate::matrix {
namespace {

std::string read_text(const std::string& path)
{
  std::error_code ignored;
  std::ifstream file;
  if (std::filesystem::is_regular_file(path, ignored)) file.open(path, std::ios::binary);  // a pipe would block
  if (!file.is_open()) throw Error(fmt::format("{}: no file that can be read, expected one in TOML", printable(path)));
  return {std::istreambuf_iterator<char>(file), {}};
}

std::size_t line_of(std::string_view text, std::size_t at)
{
  return 1 + static_cast<std::size_t>(std::ranges::count(text.substr(0, at), '\n'));
}

std::string kind_name(const toml::node& node)
{
  std::ostringstream name;
  name << node.type();
  return name.str();
}

}  // namespace

std::string TomlFile::where(const toml::node& node) const
{
  return fmt::format("{}:{}", printable(path_), node.source().begin.line);
}

void TomlFile::fail(std::size_t line, std::string_view message) const
{
  throw Error(fmt::format("{}:{}: {}", printable(path_), line, message));
}

void TomlFile::fail(const toml::node& node, std::string_view message) const { fail(node.source().begin.line, message); }

void TomlFile::fail(const toml::key& key, std::string_view message) const { fail(key.source().begin.line, message); }

toml::table TomlFile::parse() const
{
  const std::string text = read_text(path_);
  const std::size_t invalid = find_invalid_utf8(text);
  if (invalid != std::string::npos) fail(line_of(text, invalid), "a byte that is not UTF-8, expected TOML in UTF-8");
  try {
    return toml::parse(text);
  } catch (const toml::parse_error& e) {
    fail(e.source().begin.line, fmt::format("{}, expected TOML", printable(e.description())));
  }
}

void TomlFile::check_keys(const toml::table& table, const Names& known) const
{
  for (const auto& [key, node] : table)
    if (std::ranges::find(known, key.str()) == known.end())
      fail(key, fmt::format("no key '{}', expected one of {}", printable(key.str()), fmt::join(known, ", ")));
}

std::string TomlFile::text(const toml::node& node) const
{
  if (!node.is_string()) fail(node, fmt::format("found {}, expected a text in quotes", kind_name(node)));
  const std::string& found = node.as_string()->get();
  if (found.empty()) fail(node, "found an empty text, expected one with something in it");
  return found;
}

std::string TomlFile::text_at(const toml::table& table, std::string_view key, std::string_view fallback) const
{
  const toml::node* node = table.get(key);
  return node == nullptr ? std::string(fallback) : text(*node);
}

const toml::table& TomlFile::table(const toml::node& node) const
{
  if (!node.is_table()) fail(node, fmt::format("found {}, expected a table", kind_name(node)));
  return *node.as_table();
}

const toml::array& TomlFile::list(const toml::node& node) const
{
  if (!node.is_array()) fail(node, fmt::format("found {}, expected a list", kind_name(node)));
  if (node.as_array()->empty()) fail(node, "found an empty list, expected something in it");
  return *node.as_array();
}

int TomlFile::choice(const toml::node& node, std::string_view what, const Names& known) const
{
  const std::string name = text(node);
  const auto found = std::ranges::find(known, name);
  if (found == known.end())
    fail(node, fmt::format("no {} '{}', expected one of {}", what, printable(name), fmt::join(known, ", ")));
  return static_cast<int>(found - known.begin());
}

}  // namespace flashgate::matrix
