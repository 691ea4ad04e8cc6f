#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

// toml++ checks some malformed input by assertion only and reports it cleanly once these are off.
#define TOML_ASSERT(condition) static_cast<void>(0)
#include <toml++/toml.h>

namespace flashgate::matrix {

/// A TOML file of which every part can be asked for in the kind that is expected. What isn't as expected, in the file
/// system or in the text, is an Error "file:line: what was found, what was expected".
class TomlFile
{
 public:
  using Names = std::vector<std::string_view>;

  /// Reads and parses the file. Text that is not UTF-8 is refused before toml++ sees it.
  explicit TomlFile(std::string path) : path_(std::move(path)), root_(parse()) {}

  const std::string& path() const { return path_; }
  const toml::table& root() const { return root_; }

  /// "file:line" of a node, for messages.
  std::string where(const toml::node& node) const;

  [[noreturn]] void fail(std::size_t line, std::string_view message) const;
  [[noreturn]] void fail(const toml::node& node, std::string_view message) const;
  [[noreturn]] void fail(const toml::key& key, std::string_view message) const;

  /// Fails on the first key of the table that is not `known`.
  void check_keys(const toml::table& table, const Names& known) const;

  /// The node as a text that is not empty.
  std::string text(const toml::node& node) const;

  /// The same of a table's key, or `fallback` where there is no such key.
  std::string text_at(const toml::table& table, std::string_view key, std::string_view fallback) const;

  const toml::table& table(const toml::node& node) const;

  /// The node as a list that is not empty.
  const toml::array& list(const toml::node& node) const;

  /// Index in `known` of the name that the node spells; `what` says in the message what kind of name it is.
  int choice(const toml::node& node, std::string_view what, const Names& known) const;

 private:
  toml::table parse() const;

  std::string path_;
  toml::table root_;
};

}  // namespace flashgate::matrix
