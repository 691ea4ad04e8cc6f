#include "matrix/subjects.h"

#include <algorithm>

#include <fmt/format.h>

#include "matrix/texts.h"
#include "reference/error.h"
#include "sim/dispatch/built_in_models.h"
#include "sim/dispatch/checkout_subject.h"

namespace flashgate::matrix {

const std::vector<SubjectPtr>& built_in_subjects()
{
  static const std::vector<SubjectPtr> all = sim::built_in_models();
  return all;
}

SubjectPtr find_subject(const std::string& name)
{
  constexpr std::string_view kExec = "exec:";
  if (const auto checkout = sim::parse_checkout_name(name)) return sim::open_checkout(name, *checkout);
  if (name.starts_with(kExec)) return sim::open_program(name, name.substr(kExec.size()));
  std::string known;
  for (const SubjectPtr& subject : built_in_subjects()) {
    if (subject->name() == name) return subject;
    known += (known.empty() ? "" : ", ") + subject->name();
  }
  throw Error(fmt::format("subject '{}' is not known, expected fleet:PATH@REF, exec:COMMAND, or one of {}",
                          printable(name), known));
}

std::vector<SubjectPtr> select_subjects(const std::vector<std::string>& names)
{
  if (names.empty()) return built_in_subjects();
  std::vector<SubjectPtr> selected;
  for (const std::string& name : names) {
    if (std::count(names.begin(), names.end(), name) > 1)
      throw Error(fmt::format("subject '{}' is given twice", printable(name)));
    selected.push_back(find_subject(name));
  }
  return selected;
}

}  // namespace flashgate::matrix
