#include "reports/repro_line.h"

#include "matrix/execution.h"
#include "matrix/store.h"
#include "reference/error.h"

namespace flashgate::reports {
namespace {

std::string single_quoted(std::string_view text)
{
  std::string result = "'";
  for (const char c : text) {
    if (c == '\'')
      result += "'\\''";
    else
      result += c;
  }
  return result + "'";
}

/// "//v2/seqlen=65" if the class is of an execution; its finding begins with the execution's name.
std::string execution_suffix(const matrix::FailureClass& failure)
{
  if (!matrix::find_execution_check(failure.check_id)) return "";
  const std::string name = failure.detail.substr(0, failure.detail.find(": "));
  try {
    return "//" + matrix::numerics_name(matrix::parse_numerics_case(name));
  } catch (const Error&) {
    return "";
  }
}

}  // namespace

std::string shell_word(std::string_view text)
{
  constexpr std::string_view kSafe = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+.,:/@%=";
  const bool safe = !text.empty() && text.find_first_not_of(kSafe) == std::string_view::npos;
  return safe ? std::string(text) : single_quoted(text);
}

std::string repro_line(std::string_view cell, std::string_view subject)
{
  return "build/release/flashgate repro " + single_quoted(cell) + " --subject " + shell_word(subject);
}

std::string repro_line(const matrix::FailureClass& failure)
{
  if (failure.example_cell.starts_with(matrix::kTestPrefix)) return "";
  return repro_line(failure.example_cell + execution_suffix(failure), failure.subject);
}

std::string repro_line(const matrix::FailureClass& failure, std::string_view command)
{
  if (!failure.example_cell.starts_with(matrix::kTestPrefix)) return repro_line(failure);
  return "build/release/flashgate watch -- " + std::string(command);
}

}  // namespace flashgate::reports
