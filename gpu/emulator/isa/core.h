#pragma once

#include <cstdint>
#include <string_view>

namespace flashgate::gpu::isa {

/// The instruction sets the semantics are compiled for. Results are the same bits on all of them.
enum class Core : std::uint8_t { generic, avx2, avx512 };

/// "generic", "avx2", "avx512".
std::string_view core_name(Core core);

/// True if this processor can run it.
bool core_available(Core core);

/// The fastest one that this processor has; FLASHGATE_CORE in the environment (a core's name) narrows it.
Core best_core();

}  // namespace flashgate::gpu::isa
