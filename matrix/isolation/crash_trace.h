#pragma once

namespace flashgate::matrix {

/// From now on a fatal signal (a segmentation fault, an abort, ...) of this process first writes a line and the stack
/// of the thread that got it to standard error, then ends the process as it would have. A stack overflow of the calling
/// thread is called by its name. Once per process.
void trace_crashes();

/// How the line about a stack overflow begins.
inline constexpr const char* kStackOverflow = "stack overflow";

}  // namespace flashgate::matrix
