#pragma once

#include "gpu/emulator/ptx/cursor.h"
#include "gpu/emulator/ptx/module.h"

namespace flashgate::gpu::ptx {

/// Reads what follows `.entry` or `.func`, up to the end of the body or the semicolon of a declaration. The body is
/// only passed over. Directives that are not known go to `skipped`.
Function read_function(Cursor& cursor, bool is_entry, Linkage linkage, std::vector<SkippedDirective>& skipped);

}  // namespace flashgate::gpu::ptx
