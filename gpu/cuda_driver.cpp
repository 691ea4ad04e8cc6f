#include "gpu/cuda_driver.h"

#include <dlfcn.h>

#include "reference/error.h"

namespace flashgate::gpu {
namespace {

/// Looks a function up under its current name; the driver versions names whose arguments changed.
template <typename Function>
bool find(void* library, Function& function, const char* name)
{
  function = reinterpret_cast<Function>(dlsym(library, name));
  return function != nullptr;
}

bool find_all(void* library, CudaDriver& driver)
{
  return find(library, driver.cuInit, "cuInit") && find(library, driver.cuGetErrorString, "cuGetErrorString") &&
         find(library, driver.cuDeviceGetCount, "cuDeviceGetCount") &&
         find(library, driver.cuDeviceGet, "cuDeviceGet") && find(library, driver.cuDeviceGetName, "cuDeviceGetName") &&
         find(library, driver.cuDevicePrimaryCtxRetain, "cuDevicePrimaryCtxRetain") &&
         find(library, driver.cuDevicePrimaryCtxRelease, "cuDevicePrimaryCtxRelease_v2") &&
         find(library, driver.cuCtxSetCurrent, "cuCtxSetCurrent") &&
         find(library, driver.cuCtxSynchronize, "cuCtxSynchronize") &&
         find(library, driver.cuMemAlloc, "cuMemAlloc_v2") && find(library, driver.cuMemFree, "cuMemFree_v2") &&
         find(library, driver.cuMemcpyHtoD, "cuMemcpyHtoD_v2") &&
         find(library, driver.cuMemcpyDtoH, "cuMemcpyDtoH_v2") && find(library, driver.cuMemsetD8, "cuMemsetD8_v2") &&
         find(library, driver.cuModuleLoadData, "cuModuleLoadData") &&
         find(library, driver.cuModuleUnload, "cuModuleUnload") &&
         find(library, driver.cuModuleGetFunction, "cuModuleGetFunction") &&
         find(library, driver.cuModuleGetGlobal, "cuModuleGetGlobal_v2") &&
         find(library, driver.cuFuncSetAttribute, "cuFuncSetAttribute") &&
         find(library, driver.cuLaunchKernel, "cuLaunchKernel");
}

struct Lookup
{
  CudaDriver driver{};
  std::string why_not;
};

Lookup look_up()
{
  Lookup found;
  void* library = dlopen("libcuda.so.1", RTLD_NOW);
  if (library == nullptr) {
    found.why_not = "no CUDA driver on this machine (libcuda.so.1 was not found)";
    return found;
  }
  if (!find_all(library, found.driver)) {
    found.why_not = "the CUDA driver is too old: a function is missing";
    return found;
  }
  int count = 0;
  if (found.driver.cuInit(0) != 0 || found.driver.cuDeviceGetCount(&count) != 0 || count == 0)
    found.why_not = "the CUDA driver finds no GPU";
  return found;
}

}  // namespace

void CudaDriver::check(Result result, const char* what) const
{
  if (result == 0) return;
  const char* text = nullptr;
  if (cuGetErrorString(result, &text) != 0 || text == nullptr) text = "unknown error";
  throw Error(std::string("cuda: ") + what + ": " + text);
}

const CudaDriver* find_cuda_driver(std::string& why_not)
{
  static const Lookup found = look_up();
  why_not = found.why_not;
  return found.why_not.empty() ? &found.driver : nullptr;
}

}  // namespace flashgate::gpu
