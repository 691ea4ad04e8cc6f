#pragma once

#include <memory>
#include <string>
#include <vector>

#include "sim/dispatch/subject.h"

namespace flashgate::matrix {

using SubjectPtr = std::shared_ptr<const sim::Subject>;

/// The built-in subjects, in the order in which they are listed and run.
const std::vector<SubjectPtr>& built_in_subjects();

/// The subject of that name: a built-in one, a checkout ("fleet:PATH@REF", sim/dispatch/checkout_subject.h) or a
/// program ("exec:COMMAND"). A checkout or program is started, and ends with the last pointer to it. Error if there is
/// none of that name, or it can't be asked.
SubjectPtr find_subject(const std::string& name);

/// The subjects named, or all built-in ones if `names` is empty. Error on an unknown name or one given twice.
std::vector<SubjectPtr> select_subjects(const std::vector<std::string>& names);

}  // namespace flashgate::matrix
