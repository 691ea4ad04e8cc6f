#pragma once

#include <string>
#include <string_view>

#include "matrix/failure_class.h"

namespace flashgate::reports {

/// `text` as one word of a POSIX shell: as it is where that is safe, else in single quotes.
std::string shell_word(std::string_view text);

/// The command that runs one cell of one subject again, in the foreground:
/// build/release/flashgate repro 'rr_flash/flag_version=4' --subject model:fleet-d
std::string repro_line(std::string_view cell, std::string_view subject);

/// The same for an example of a class. If an execution failed, the cell is named with it, so that it runs again:
/// 'rr_flash/flag_version=2//v2/seqlen=65'. Empty for a watched command's test, which only that command runs.
std::string repro_line(const matrix::FailureClass& failure);

/// The same for a test that `flashgate watch` ran, whose cell "test:NAME" is on no axis: `command` again, watched. Its
/// subject's description has the command.
std::string repro_line(const matrix::FailureClass& failure, std::string_view command);

}  // namespace flashgate::reports
