// The CUDA runtime's memory functions. Host and device share one address space here, so the direction of a copy only
// says which side is checked.
#include <cstring>

#include <cuda_runtime_api.h>

#include "gpu/emulator/memory/global_memory.h"
#include "gpu/runtime/session.h"

using flashgate::gpu::DeviceAddress;
using flashgate::gpu::runtime::Session;

namespace {

DeviceAddress address_of(const void* pointer) { return reinterpret_cast<DeviceAddress>(pointer); }

bool is_device(const void* pointer) { return Session::get().device().memory().find(address_of(pointer), 1) != nullptr; }

/// One contiguous copy. A side is device memory if the emulated device owns it.
cudaError_t copy(void* to, const void* from, std::size_t bytes)
{
  if (bytes == 0) return cudaSuccess;
  if (to == nullptr || from == nullptr) return cudaErrorInvalidValue;
  auto& device = Session::get().device();
  const auto* source = static_cast<const std::byte*>(from);
  std::vector<std::byte> staged;
  if (is_device(from)) {
    staged.resize(bytes);
    device.read(address_of(from), staged);
    source = staged.data();
  }
  if (is_device(to))
    device.write(address_of(to), {source, bytes});
  else
    std::memcpy(to, source, bytes);
  return cudaSuccess;
}

cudaError_t set(void* to, int value, std::size_t bytes)
{
  if (bytes == 0) return cudaSuccess;
  if (is_device(to))
    Session::get().device().fill(address_of(to), static_cast<std::byte>(value), bytes);
  else
    std::memset(to, value, bytes);
  return cudaSuccess;
}

cudaError_t allocate(void** pointer, std::size_t bytes, const char* name)
{
  return Session::get().guarded([&]() -> cudaError_t {
    if (pointer == nullptr) return cudaErrorInvalidValue;
    *pointer = nullptr;
    const auto& memory = Session::get().device().memory();
    if (bytes > memory.limit() - memory.allocated_bytes()) return cudaErrorMemoryAllocation;
    if (bytes != 0) *pointer = reinterpret_cast<void*>(Session::get().device().allocate(bytes, name));
    return cudaSuccess;
  });
}

cudaError_t release(void* pointer)
{
  return Session::get().guarded([&]() -> cudaError_t {
    if (pointer == nullptr) return cudaSuccess;
    if (!is_device(pointer)) return cudaErrorInvalidValue;
    Session::get().device().free(address_of(pointer));
    return cudaSuccess;
  });
}

cudaError_t copy_rows(void* to, std::size_t to_pitch, const void* from, std::size_t from_pitch, std::size_t width,
                      std::size_t height)
{
  return Session::get().guarded([&]() -> cudaError_t {
    if (width > to_pitch || width > from_pitch) return cudaErrorInvalidPitchValue;
    for (std::size_t row = 0; row < height; ++row) {
      const cudaError_t result =
          copy(static_cast<char*>(to) + row * to_pitch, static_cast<const char*>(from) + row * from_pitch, width);
      if (result != cudaSuccess) return result;
    }
    return cudaSuccess;
  });
}

cudaError_t copy_symbol(const void* symbol, std::size_t offset, std::size_t bytes,
                        const std::function<cudaError_t(char*)>& copy_at)
{
  return Session::get().guarded([&]() -> cudaError_t {
    const auto [address, size] = Session::get().variable(symbol);
    if (offset > size || bytes > size - offset) return cudaErrorInvalidValue;
    return copy_at(reinterpret_cast<char*>(address) + offset);
  });
}

}  // namespace

extern "C" {

cudaError_t cudaMalloc(void** pointer, size_t bytes) { return allocate(pointer, bytes, "cudaMalloc"); }
cudaError_t cudaMallocAsync(void** pointer, size_t bytes, cudaStream_t)
{
  return allocate(pointer, bytes, "cudaMallocAsync");
}
cudaError_t cudaMallocManaged(void** pointer, size_t bytes, unsigned)
{
  return allocate(pointer, bytes, "cudaMallocManaged");
}
cudaError_t cudaMallocHost(void** pointer, size_t bytes) { return allocate(pointer, bytes, "cudaMallocHost"); }
cudaError_t cudaHostAlloc(void** pointer, size_t bytes, unsigned) { return allocate(pointer, bytes, "cudaHostAlloc"); }
cudaError_t cudaMallocPitch(void** pointer, size_t* pitch, size_t width, size_t height)
{
  *pitch = (width + 511) / 512 * 512;
  return allocate(pointer, *pitch * height, "cudaMallocPitch");
}
cudaError_t cudaFree(void* pointer) { return release(pointer); }
cudaError_t cudaFreeAsync(void* pointer, cudaStream_t) { return release(pointer); }
cudaError_t cudaFreeHost(void* pointer) { return release(pointer); }

cudaError_t cudaHostGetDevicePointer(void** device, void* host, unsigned)
{
  *device = host;
  return cudaSuccess;
}

cudaError_t cudaMemcpy(void* to, const void* from, size_t bytes, cudaMemcpyKind)
{
  return Session::get().guarded([&] { return copy(to, from, bytes); });
}
cudaError_t cudaMemcpyAsync(void* to, const void* from, size_t bytes, cudaMemcpyKind kind, cudaStream_t)
{
  return cudaMemcpy(to, from, bytes, kind);
}
cudaError_t cudaMemcpy2D(void* to, size_t to_pitch, const void* from, size_t from_pitch, size_t width, size_t height,
                         cudaMemcpyKind)
{
  return copy_rows(to, to_pitch, from, from_pitch, width, height);
}
cudaError_t cudaMemcpy2DAsync(void* to, size_t to_pitch, const void* from, size_t from_pitch, size_t width,
                              size_t height, cudaMemcpyKind, cudaStream_t)
{
  return copy_rows(to, to_pitch, from, from_pitch, width, height);
}

cudaError_t cudaMemset(void* to, int value, size_t bytes)
{
  return Session::get().guarded([&] { return set(to, value, bytes); });
}
cudaError_t cudaMemsetAsync(void* to, int value, size_t bytes, cudaStream_t) { return cudaMemset(to, value, bytes); }
cudaError_t cudaMemset2D(void* to, size_t pitch, int value, size_t width, size_t height)
{
  return Session::get().guarded([&] {
    for (std::size_t row = 0; row < height; ++row)
      set(static_cast<char*>(to) + row * pitch, value, width);
    return cudaSuccess;
  });
}

cudaError_t cudaMemcpyToSymbol(const void* symbol, const void* from, size_t bytes, size_t offset, cudaMemcpyKind)
{
  return copy_symbol(symbol, offset, bytes, [&](char* at) { return copy(at, from, bytes); });
}
cudaError_t cudaMemcpyFromSymbol(void* to, const void* symbol, size_t bytes, size_t offset, cudaMemcpyKind)
{
  return copy_symbol(symbol, offset, bytes, [&](char* at) { return copy(to, at, bytes); });
}
cudaError_t cudaMemcpyToSymbolAsync(const void* symbol, const void* from, size_t bytes, size_t offset,
                                    cudaMemcpyKind kind, cudaStream_t)
{
  return cudaMemcpyToSymbol(symbol, from, bytes, offset, kind);
}
cudaError_t cudaMemcpyFromSymbolAsync(void* to, const void* symbol, size_t bytes, size_t offset, cudaMemcpyKind kind,
                                      cudaStream_t)
{
  return cudaMemcpyFromSymbol(to, symbol, bytes, offset, kind);
}
cudaError_t cudaGetSymbolAddress(void** address, const void* symbol)
{
  return Session::get().guarded([&] {
    *address = reinterpret_cast<void*>(Session::get().variable(symbol).first);
    return cudaSuccess;
  });
}
cudaError_t cudaGetSymbolSize(size_t* bytes, const void* symbol)
{
  return Session::get().guarded([&] {
    *bytes = Session::get().variable(symbol).second;
    return cudaSuccess;
  });
}

cudaError_t cudaMemGetInfo(size_t* free_bytes, size_t* total)
{
  *total = Session::get().options().memory_bytes;
  *free_bytes = *total - Session::get().device().memory().allocated_bytes();
  return cudaSuccess;
}

cudaError_t cudaPointerGetAttributes(cudaPointerAttributes* attributes, const void* pointer)
{
  return Session::get().guarded([&] {
    *attributes = {};
    attributes->type = is_device(pointer) ? cudaMemoryTypeDevice : cudaMemoryTypeUnregistered;
    attributes->devicePointer = is_device(pointer) ? const_cast<void*>(pointer) : nullptr;
    return cudaSuccess;
  });
}

}  // extern "C"
