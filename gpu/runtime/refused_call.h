#pragma once

namespace flashgate::gpu::runtime {

/// Says once that the program called a function that the stand-in lacks; returns cudaErrorNotSupported.
int refuse_call(const char* name);

}  // namespace flashgate::gpu::runtime
