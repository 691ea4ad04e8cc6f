#include "gpu/emulator/ptx/function_reader.h"

#include <limits>

#include "gpu/emulator/ptx/number.h"
#include "gpu/emulator/ptx/variable_reader.h"

namespace flashgate::gpu::ptx {
namespace {

using Extents = std::array<std::uint32_t, 3>;

std::uint32_t read_count(Cursor& cursor)
{
  return static_cast<std::uint32_t>(read_unsigned(cursor, std::numeric_limits<std::uint32_t>::max(), "a number"));
}

/// One to three numbers.
Extents read_extents(Cursor& cursor)
{
  Extents extents{read_count(cursor), 1, 1};
  for (std::size_t i = 1; i < extents.size() && cursor.accept(','); ++i) {
    extents[i] = read_count(cursor);
  }
  return extents;
}

/// A performance directive, or another one between the parameters and the body.
void read_directive(Cursor& cursor, Function& function, std::vector<SkippedDirective>& skipped)
{
  const std::uint32_t line = cursor.line();
  const std::string_view word = cursor.dotted_word();
  if (word == ".maxntid") {
    function.maxntid = read_extents(cursor);
  } else if (word == ".reqntid") {
    function.reqntid = read_extents(cursor);
  } else if (word == ".reqnctapercluster") {
    function.reqnctapercluster = read_extents(cursor);
  } else if (word == ".minnctapersm") {
    function.minnctapersm = read_count(cursor);
  } else if (word == ".maxnreg") {
    function.maxnreg = read_count(cursor);
  } else if (word == ".explicitcluster") {
    function.explicit_cluster = true;
  } else if (word == ".noreturn") {
    function.no_return = true;
  } else if (word.empty()) {
    cursor.fail_expected("a directive, '{' or ';'");
  } else {
    if (word != ".pragma") skipped.push_back({word, line});
    cursor.skip_arguments(true);
  }
}

}  // namespace

Function read_function(Cursor& cursor, bool is_entry, Linkage linkage, std::vector<SkippedDirective>& skipped)
{
  Function function;
  function.is_entry = is_entry;
  function.linkage = linkage;
  function.line = cursor.line();
  if (!is_entry && cursor.accept_word(".attribute")) pass_attribute(cursor);
  if (!is_entry && cursor.peek() == '(') function.return_parameters = read_parameters(cursor);
  function.name = cursor.identifier("the name of a function");
  if (cursor.peek() == '(') function.parameters = read_parameters(cursor);
  while (cursor.peek() != '{' && cursor.peek() != ';') {
    if (cursor.at_end()) cursor.fail_expected("'{' or ';'");
    // The pragma of a function ends with a semicolon that does not end the declaration.
    const bool is_pragma = cursor.rest().starts_with(".pragma");
    read_directive(cursor, function, skipped);
    if (is_pragma) cursor.accept(';');
  }
  function.has_body = cursor.peek() == '{';
  function.body_line = cursor.line();
  if (function.has_body) {
    function.body = cursor.balanced_braces();
  } else {
    cursor.expect(';');
  }
  return function;
}

}  // namespace flashgate::gpu::ptx
