#pragma once

#include <string>

#include "matrix/store.h"

namespace flashgate::app {

/// "PATH@GITREF" as a subject's name, "fleet:PATH@GITREF"; a name of a subject stays as it is.
std::string subject_name(const std::string& reference);

/// What the code of a checkout was when it was asked, as its description tells: "0123456789ab First line" for a commit.
/// Refs move, so they are not looked up again. Empty for any other subject.
std::string revision_of(const matrix::SubjectRecord& subject);

/// The digits of the commit in revision_of(); empty if it was a working tree.
std::string commit_of(const matrix::SubjectRecord& subject);

}  // namespace flashgate::app
