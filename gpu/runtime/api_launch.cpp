// Registration of what nvcc embedded, and launches.
#include <algorithm>

#include <cuda_runtime_api.h>

#include "gpu/runtime/fat_binary.h"
#include "gpu/runtime/session.h"
#include "reference/error.h"

using flashgate::Error;
using flashgate::gpu::Dim3;
using flashgate::gpu::LaunchConfig;
using flashgate::gpu::Program;
using flashgate::gpu::runtime::RegisteredBinary;
using flashgate::gpu::runtime::RegisteredKernel;
using flashgate::gpu::runtime::Session;

namespace {

/// What nvcc's generated code registers: a pointer to the container inside a small header.
struct FatBinaryWrapper
{
  int magic;
  int version;
  const void* container;
  void* more;
};

/// The arguments of <<<>>> wait here between its two calls.
struct CallConfiguration
{
  dim3 grid;
  dim3 block;
  std::size_t shared_bytes;
  void* stream;
};
thread_local std::vector<CallConfiguration> configurations;

Dim3 dimensions(dim3 d) { return {d.x, d.y, d.z}; }

cudaError_t launch_kernel(RegisteredKernel* kernel, LaunchConfig config, void** arguments)
{
  return Session::get().guarded([&]() -> cudaError_t {
    if (kernel == nullptr) return cudaErrorInvalidDeviceFunction;
    return Session::get().launch(*kernel, config, arguments);
  });
}

LaunchConfig launch_config(dim3 grid, dim3 block, std::size_t shared_bytes)
{
  LaunchConfig config;
  config.grid = dimensions(grid);
  config.block = dimensions(block);
  config.dynamic_shared_bytes = static_cast<std::uint32_t>(shared_bytes);
  return config;
}

RegisteredKernel* find(const void* function) { return Session::get().find_kernel(function); }

}  // namespace

extern "C" {

void** __cudaRegisterFatBinary(void* wrapper)
{
  const auto* binary = static_cast<const FatBinaryWrapper*>(wrapper);
  return reinterpret_cast<void**>(Session::get().add_binary(binary->container));
}

void __cudaRegisterFatBinaryEnd(void**) {}
void __cudaUnregisterFatBinary(void**) {}
char __cudaInitModule(void**) { return 0; }

void __cudaRegisterFunction(void** binary, const char* host, char*, const char* name, int, uint3*, uint3*, dim3*, dim3*,
                            int*)
{
  Session::get().add_kernel(reinterpret_cast<RegisteredBinary*>(binary), host, name);
}

void __cudaRegisterVar(void** binary, char* host, char*, const char* name, int, size_t, int, int)
{
  Session::get().add_variable(reinterpret_cast<RegisteredBinary*>(binary), host, name, nullptr);
}

void __cudaRegisterManagedVar(void** binary, void** host, char*, const char* name, int, size_t, int, int)
{
  Session::get().add_variable(reinterpret_cast<RegisteredBinary*>(binary), host, name, host);
}

unsigned __cudaPushCallConfiguration(dim3 grid, dim3 block, size_t shared_bytes, void* stream)
{
  configurations.push_back({grid, block, shared_bytes, stream});
  return 0;
}

cudaError_t __cudaPopCallConfiguration(dim3* grid, dim3* block, size_t* shared_bytes, void* stream)
{
  if (configurations.empty()) return cudaErrorMissingConfiguration;
  const CallConfiguration last = configurations.back();
  configurations.pop_back();
  *grid = last.grid;
  *block = last.block;
  *shared_bytes = last.shared_bytes;
  *static_cast<void**>(stream) = last.stream;
  return cudaSuccess;
}

cudaError_t __cudaGetKernel(cudaKernel_t* handle, const void* host)
{
  RegisteredKernel* kernel = find(host);
  *handle = reinterpret_cast<cudaKernel_t>(kernel);
  return kernel == nullptr ? cudaErrorInvalidDeviceFunction : cudaSuccess;
}

cudaError_t __cudaLaunchKernel(cudaKernel_t handle, dim3 grid, dim3 block, void** arguments, size_t shared_bytes,
                               cudaStream_t)
{
  return launch_kernel(reinterpret_cast<RegisteredKernel*>(handle), launch_config(grid, block, shared_bytes),
                       arguments);
}

cudaError_t cudaLaunchKernel(const void* function, dim3 grid, dim3 block, void** arguments, size_t shared_bytes,
                             cudaStream_t)
{
  return launch_kernel(find(function), launch_config(grid, block, shared_bytes), arguments);
}

cudaError_t cudaLaunchCooperativeKernel(const void* function, dim3 grid, dim3 block, void** arguments,
                                        size_t shared_bytes, cudaStream_t)
{
  LaunchConfig config = launch_config(grid, block, shared_bytes);
  config.cooperative = true;
  return launch_kernel(find(function), config, arguments);
}

cudaError_t cudaLaunchKernelExC(const cudaLaunchConfig_t* asked, const void* function, void** arguments)
{
  LaunchConfig config = launch_config(asked->gridDim, asked->blockDim, asked->dynamicSmemBytes);
  for (const cudaLaunchAttribute& attribute : std::span(asked->attrs, asked->numAttrs)) {
    if (attribute.id == cudaLaunchAttributeCooperative) config.cooperative = attribute.val.cooperative != 0;
    if (attribute.id == cudaLaunchAttributeClusterDimension)
      config.cluster = {attribute.val.clusterDim.x, attribute.val.clusterDim.y, attribute.val.clusterDim.z};
  }
  if (config.cluster.count() > 1) return Session::get().refuse("clusters of more than one block");
  return launch_kernel(find(function), config, arguments);
}

cudaError_t cudaFuncSetAttribute(const void* function, cudaFuncAttribute attribute, int value)
{
  return Session::get().guarded([&]() -> cudaError_t {
    RegisteredKernel* kernel = find(function);
    if (kernel == nullptr) return cudaErrorInvalidDeviceFunction;
    if (attribute == cudaFuncAttributeMaxDynamicSharedMemorySize) {
      if (value < 0 || value > 227 * 1024) return cudaErrorInvalidValue;
      kernel->max_dynamic_shared = static_cast<std::uint32_t>(value);
    }
    return cudaSuccess;
  });
}

cudaError_t cudaFuncSetCacheConfig(const void*, cudaFuncCache) { return cudaSuccess; }

cudaError_t cudaFuncGetAttributes(cudaFuncAttributes* attributes, const void* function)
{
  return Session::get().guarded([&]() -> cudaError_t {
    RegisteredKernel* kernel = find(function);
    if (kernel == nullptr) return cudaErrorInvalidDeviceFunction;
    const Program& program = Session::get().program(*kernel);
    *attributes = {};
    attributes->sharedSizeBytes = program.static_shared_bytes;
    attributes->localSizeBytes = program.local_bytes;
    attributes->maxThreadsPerBlock = static_cast<int>(program.max_threads);
    attributes->maxDynamicSharedSizeBytes = static_cast<int>(std::max(kernel->max_dynamic_shared, 48U * 1024));
    attributes->ptxVersion = attributes->binaryVersion = static_cast<int>(Session::get().options().architecture);
    return cudaSuccess;
  });
}

cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int* blocks, const void*, int threads, size_t shared,
                                                                   unsigned)
{
  // Registers are ptxas' business, so threads and shared memory alone decide.
  const int by_threads = threads <= 0 ? 0 : 2048 / threads;
  const int by_shared = shared == 0 ? 32 : static_cast<int>(227 * 1024 / (shared + 1024));
  *blocks = std::min({by_threads, by_shared, 32});
  return cudaSuccess;
}

cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, const void* function, int threads, size_t shared)
{
  return cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(blocks, function, threads, shared, 0);
}

}  // extern "C"
