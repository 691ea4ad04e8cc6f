#pragma once

#include <string>
#include <string_view>

namespace flashgate::reports {

/// `text` as one word of a POSIX shell: as it is where that is safe, else in single quotes.
std::string shell_word(std::string_view text);

/// The command that runs one cell of one subject again, in the foreground:
/// build/release/flashgate repro 'rr_flash/flag_version=4' --subject model:fleet-d
std::string repro_line(std::string_view cell, std::string_view subject);

}  // namespace flashgate::reports
