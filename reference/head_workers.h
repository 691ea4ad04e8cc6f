#pragma once

#include <functional>

namespace flashgate::reference {

/// Calls work(b, h) once for every batch b and head h, on `threads` threads (at least one; the caller's own counts).
/// The calls run in any order and side by side, so each may write only what belongs to its (b, h). The first exception
/// of a call is rethrown here after all threads have ended.
void for_each_head(int batch, int heads, int threads, const std::function<void(int b, int h)>& work);

}  // namespace flashgate::reference
