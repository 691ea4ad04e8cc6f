#pragma once

#include <cstddef>
#include <string>

namespace flashgate::gpu {

/// The functions of the CUDA driver API (libcuda.so.1) that a native device needs, found at run time, so that flashgate
/// builds and starts on machines without a driver. Signatures and numbers are those of the driver API's documentation.
struct CudaDriver
{
  using Result = int;
  using Device = int;
  using Context = struct ContextOpaque*;
  using Module = struct ModuleOpaque*;
  using Function = struct FunctionOpaque*;
  using Stream = struct StreamOpaque*;
  using Address = unsigned long long;

  static constexpr int kMaxDynamicSharedBytes = 8;  ///< CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES
  static inline void* const kParameterPointer = reinterpret_cast<void*>(1);  ///< CU_LAUNCH_PARAM_BUFFER_POINTER
  static inline void* const kParameterSize = reinterpret_cast<void*>(2);     ///< CU_LAUNCH_PARAM_BUFFER_SIZE

  Result (*cuInit)(unsigned flags);
  Result (*cuGetErrorString)(Result, const char** text);
  Result (*cuDeviceGetCount)(int*);
  Result (*cuDeviceGet)(Device*, int ordinal);
  Result (*cuDeviceGetName)(char* name, int size, Device);
  Result (*cuDevicePrimaryCtxRetain)(Context*, Device);
  Result (*cuDevicePrimaryCtxRelease)(Device);
  Result (*cuCtxSetCurrent)(Context);
  Result (*cuCtxSynchronize)();
  Result (*cuMemAlloc)(Address*, std::size_t);
  Result (*cuMemFree)(Address);
  Result (*cuMemcpyHtoD)(Address, const void*, std::size_t);
  Result (*cuMemcpyDtoH)(void*, Address, std::size_t);
  Result (*cuMemsetD8)(Address, unsigned char, std::size_t);
  Result (*cuModuleLoadData)(Module*, const void* image);
  Result (*cuModuleUnload)(Module);
  Result (*cuModuleGetFunction)(Function*, Module, const char* name);
  Result (*cuModuleGetGlobal)(Address*, std::size_t*, Module, const char* name);
  Result (*cuFuncSetAttribute)(Function, int attribute, int value);
  Result (*cuLaunchKernel)(Function, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by, unsigned bz,
                           unsigned shared_bytes, Stream, void** parameters, void** extra);

  /// Throws Error "cuda: WHAT: the driver's text" unless `result` is 0.
  void check(Result result, const char* what) const;
};

/// The driver of this machine, initialised once; nullptr, and the reason in `why_not`, where there is none.
const CudaDriver* find_cuda_driver(std::string& why_not);

}  // namespace flashgate::gpu
