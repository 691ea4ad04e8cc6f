#pragma once

#include <memory>
#include <string>
#include <vector>

#include "sim/dispatch/subject.h"

namespace flashgate::matrix {

using SubjectPtr = std::shared_ptr<const sim::Subject>;

/// The built-in subjects, in the order in which they are listed and run.
const std::vector<SubjectPtr>& built_in_subjects();

/// The subject of that name; Error that lists the known ones if there is none.
SubjectPtr find_subject(const std::string& name);

/// The subjects named, or all built-in ones if `names` is empty. Error on an unknown name or one given twice.
std::vector<SubjectPtr> select_subjects(const std::vector<std::string>& names);

}  // namespace flashgate::matrix
