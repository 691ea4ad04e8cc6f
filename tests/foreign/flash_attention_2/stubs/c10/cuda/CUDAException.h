// Stands in for PyTorch's header of this name: a failed call ends the program with its place.
#pragma once

#include <cstdio>
#include <cstdlib>

#include <cuda_runtime.h>

#define C10_CUDA_CHECK(call)                                                                   \
  do {                                                                                         \
    const cudaError_t c10_result = (call);                                                     \
    if (c10_result != cudaSuccess) {                                                           \
      std::fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, cudaGetErrorString(c10_result)); \
      std::exit(1);                                                                            \
    }                                                                                          \
  } while (false)
#define C10_CUDA_KERNEL_LAUNCH_CHECK() C10_CUDA_CHECK(cudaGetLastError())
