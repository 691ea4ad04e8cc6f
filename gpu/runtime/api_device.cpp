// Device queries, errors, streams and events. Streams run in order of the calls, so waiting is nothing.
#include <chrono>
#include <cstring>

#include <cuda_runtime_api.h>

#include "gpu/runtime/session.h"

using flashgate::gpu::runtime::EmulationOptions;
using flashgate::gpu::runtime::Session;

namespace {

constexpr int kSharedOptIn = 227 * 1024;
constexpr int kSharedDefault = 48 * 1024;

int major_of(const EmulationOptions& options) { return static_cast<int>(options.architecture / 10); }
int minor_of(const EmulationOptions& options) { return static_cast<int>(options.architecture % 10); }

/// A stream or an event is only an address; an event remembers when it was recorded.
struct Recorded
{
  std::chrono::steady_clock::time_point time;
};

/// The attributes that programs ask for; others are answered with 0.
int attribute_value(cudaDeviceAttr attribute, const EmulationOptions& options)
{
  switch (attribute) {
    case cudaDevAttrComputeCapabilityMajor:
      return major_of(options);
    case cudaDevAttrComputeCapabilityMinor:
      return minor_of(options);
    case cudaDevAttrMultiProcessorCount:
      return static_cast<int>(options.multiprocessors);
    case cudaDevAttrWarpSize:
      return 32;
    case cudaDevAttrMaxThreadsPerBlock:
      return 1024;
    case cudaDevAttrMaxBlockDimX:
    case cudaDevAttrMaxBlockDimY:
      return 1024;
    case cudaDevAttrMaxBlockDimZ:
      return 64;
    case cudaDevAttrMaxGridDimX:
      return 0x7FFF'FFFF;
    case cudaDevAttrMaxGridDimY:
    case cudaDevAttrMaxGridDimZ:
      return 65535;
    case cudaDevAttrMaxThreadsPerMultiProcessor:
      return 2048;
    case cudaDevAttrMaxSharedMemoryPerBlock:
      return kSharedDefault;
    case cudaDevAttrMaxSharedMemoryPerBlockOptin:
      return kSharedOptIn;
    case cudaDevAttrMaxSharedMemoryPerMultiprocessor:
      return kSharedOptIn + 1024;
    case cudaDevAttrMaxRegistersPerBlock:
    case cudaDevAttrMaxRegistersPerMultiprocessor:
      return 65536;
    case cudaDevAttrCooperativeLaunch:
    case cudaDevAttrUnifiedAddressing:
    case cudaDevAttrManagedMemory:
    case cudaDevAttrConcurrentManagedAccess:
    case cudaDevAttrMemoryPoolsSupported:
      return 1;
    default:
      return 0;
  }
}

void fill_properties(cudaDeviceProp& properties, const EmulationOptions& options)
{
  properties = {};
  const std::string name = Session::get().device().name();
  std::strncpy(properties.name, name.c_str(), sizeof properties.name - 1);
  properties.major = major_of(options);
  properties.minor = minor_of(options);
  properties.totalGlobalMem = options.memory_bytes;
  properties.sharedMemPerBlock = kSharedDefault;
  properties.sharedMemPerBlockOptin = kSharedOptIn;
  properties.sharedMemPerMultiprocessor = kSharedOptIn + 1024;
  properties.regsPerBlock = properties.regsPerMultiprocessor = 65536;
  properties.warpSize = 32;
  properties.maxThreadsPerBlock = 1024;
  properties.maxThreadsDim[0] = properties.maxThreadsDim[1] = 1024;
  properties.maxThreadsDim[2] = 64;
  properties.maxGridSize[0] = 0x7FFF'FFFF;
  properties.maxGridSize[1] = properties.maxGridSize[2] = 65535;
  properties.totalConstMem = 65536;
  properties.multiProcessorCount = static_cast<int>(options.multiprocessors);
  properties.maxThreadsPerMultiProcessor = 2048;
  properties.maxBlocksPerMultiProcessor = 32;
  properties.unifiedAddressing = properties.managedMemory = properties.cooperativeLaunch = 1;
}

template <typename Handle>
cudaError_t make_handle(Handle* handle)
{
  *handle = reinterpret_cast<Handle>(new Recorded{});
  return cudaSuccess;
}

template <typename Handle>
cudaError_t drop_handle(Handle handle)
{
  delete reinterpret_cast<Recorded*>(handle);
  return cudaSuccess;
}

cudaError_t nothing_to_wait_for()
{
  return Session::get().guarded([] { return cudaSuccess; });
}

}  // namespace

extern "C" {

cudaError_t cudaGetDeviceCount(int* count)
{
  *count = 1;
  return cudaSuccess;
}
cudaError_t cudaGetDevice(int* device)
{
  *device = 0;
  return cudaSuccess;
}
cudaError_t cudaSetDevice(int device) { return device == 0 ? cudaSuccess : cudaErrorInvalidDevice; }
cudaError_t cudaInitDevice(int device, unsigned, unsigned) { return cudaSetDevice(device); }
cudaError_t cudaSetDeviceFlags(unsigned) { return cudaSuccess; }
cudaError_t cudaDeviceReset() { return cudaSuccess; }
cudaError_t cudaDeviceSynchronize() { return nothing_to_wait_for(); }
cudaError_t cudaDeviceSetCacheConfig(cudaFuncCache) { return cudaSuccess; }
cudaError_t cudaDeviceSetLimit(cudaLimit, size_t) { return cudaSuccess; }

cudaError_t cudaDeviceGetAttribute(int* value, cudaDeviceAttr attribute, int device)
{
  if (device != 0) return cudaErrorInvalidDevice;
  *value = attribute_value(attribute, Session::get().options());
  return cudaSuccess;
}

cudaError_t cudaGetDeviceProperties(cudaDeviceProp* properties, int device)
{
  if (device != 0) return cudaErrorInvalidDevice;
  fill_properties(*properties, Session::get().options());
  return cudaSuccess;
}

cudaError_t cudaRuntimeGetVersion(int* version)
{
  *version = CUDART_VERSION;
  return cudaSuccess;
}
cudaError_t cudaDriverGetVersion(int* version) { return cudaRuntimeGetVersion(version); }

cudaError_t cudaGetLastError() { return Session::get().take_last_error(); }
cudaError_t cudaPeekAtLastError() { return Session::get().last_error(); }

const char* cudaGetErrorName(cudaError_t error)
{
  switch (error) {
    case cudaSuccess:
      return "cudaSuccess";
    case cudaErrorInvalidValue:
      return "cudaErrorInvalidValue";
    case cudaErrorMemoryAllocation:
      return "cudaErrorMemoryAllocation";
    case cudaErrorInvalidPitchValue:
      return "cudaErrorInvalidPitchValue";
    case cudaErrorInvalidDeviceFunction:
      return "cudaErrorInvalidDeviceFunction";
    case cudaErrorMissingConfiguration:
      return "cudaErrorMissingConfiguration";
    case cudaErrorInvalidConfiguration:
      return "cudaErrorInvalidConfiguration";
    case cudaErrorInvalidDevice:
      return "cudaErrorInvalidDevice";
    case cudaErrorInvalidSymbol:
      return "cudaErrorInvalidSymbol";
    case cudaErrorNoKernelImageForDevice:
      return "cudaErrorNoKernelImageForDevice";
    case cudaErrorAssert:
      return "cudaErrorAssert";
    case cudaErrorLaunchFailure:
      return "cudaErrorLaunchFailure";
    case cudaErrorLaunchTimeout:
      return "cudaErrorLaunchTimeout";
    case cudaErrorNotSupported:
      return "cudaErrorNotSupported";
    default:
      return "cudaErrorUnknown";
  }
}

const char* cudaGetErrorString(cudaError_t error)
{
  switch (error) {
    case cudaSuccess:
      return "no error";
    case cudaErrorInvalidValue:
      return "invalid argument";
    case cudaErrorMemoryAllocation:
      return "out of memory";
    case cudaErrorInvalidConfiguration:
      return "invalid configuration argument";
    case cudaErrorAssert:
      return "device-side assert triggered";
    case cudaErrorLaunchFailure:
      return "a kernel stopped with a fault; the report says where";
    case cudaErrorLaunchTimeout:
      return "a kernel hung; the report says where";
    case cudaErrorNotSupported:
      return "not supported by the emulated device";
    default:
      return cudaGetErrorName(error);
  }
}

cudaError_t cudaStreamCreate(cudaStream_t* stream) { return make_handle(stream); }
cudaError_t cudaStreamCreateWithFlags(cudaStream_t* stream, unsigned) { return make_handle(stream); }
cudaError_t cudaStreamCreateWithPriority(cudaStream_t* stream, unsigned, int) { return make_handle(stream); }
cudaError_t cudaStreamDestroy(cudaStream_t stream) { return drop_handle(stream); }
cudaError_t cudaStreamSynchronize(cudaStream_t) { return nothing_to_wait_for(); }
cudaError_t cudaStreamQuery(cudaStream_t) { return nothing_to_wait_for(); }
cudaError_t cudaStreamWaitEvent(cudaStream_t, cudaEvent_t, unsigned) { return cudaSuccess; }
cudaError_t cudaStreamIsCapturing(cudaStream_t, cudaStreamCaptureStatus* status)
{
  *status = cudaStreamCaptureStatusNone;
  return cudaSuccess;
}
cudaError_t cudaLaunchHostFunc(cudaStream_t, cudaHostFn_t function, void* data)
{
  function(data);
  return cudaSuccess;
}

cudaError_t cudaEventCreate(cudaEvent_t* event) { return make_handle(event); }
cudaError_t cudaEventCreateWithFlags(cudaEvent_t* event, unsigned) { return make_handle(event); }
cudaError_t cudaEventDestroy(cudaEvent_t event) { return drop_handle(event); }
cudaError_t cudaEventQuery(cudaEvent_t) { return nothing_to_wait_for(); }
cudaError_t cudaEventSynchronize(cudaEvent_t) { return nothing_to_wait_for(); }
cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t)
{
  reinterpret_cast<Recorded*>(event)->time = std::chrono::steady_clock::now();
  return cudaSuccess;
}
cudaError_t cudaEventRecordWithFlags(cudaEvent_t event, cudaStream_t stream, unsigned)
{
  return cudaEventRecord(event, stream);
}

/// The time that the emulation took: nothing about a GPU follows from it.
cudaError_t cudaEventElapsedTime(float* milliseconds, cudaEvent_t start, cudaEvent_t end)
{
  const auto elapsed = reinterpret_cast<Recorded*>(end)->time - reinterpret_cast<Recorded*>(start)->time;
  *milliseconds = std::chrono::duration<float, std::milli>(elapsed).count();
  return cudaSuccess;
}

}  // extern "C"
