#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "gpu/emulator/launch.h"

namespace flashgate::gpu {

/// An address in the memory of a device; 0 is never one.
using DeviceAddress = std::uint64_t;

/// A kernel's arguments as the entry's .param list lays them out: each at its own alignment.
class Arguments
{
 public:
  template <typename T>
  Arguments& add(const T& value)
  {
    bytes_.resize((bytes_.size() + alignof(T) - 1) / alignof(T) * alignof(T) + sizeof(T));
    std::memcpy(bytes_.data() + bytes_.size() - sizeof(T), &value, sizeof(T));
    return *this;
  }
  const std::vector<std::byte>& bytes() const { return bytes_; }

 private:
  std::vector<std::byte> bytes_;
};

/// An entry of a PTX module, loaded on one device.
class Kernel
{
 public:
  virtual ~Kernel() = default;
  virtual const std::string& name() const = 0;

  /// "file.cu:12 < caller.cu:40 (ptx line 118)" for an instruction that a finding names; empty where the device can't
  /// say.
  virtual std::string site(std::int32_t instruction) const = 0;
};

/// A PTX module on one device, with its variables.
class Module
{
 public:
  virtual ~Module() = default;

  /// Throws Error if there is no such entry, or it uses an instruction that the device lacks.
  virtual const Kernel& kernel(std::string_view entry) = 0;

  /// Address and size of a __device__ or __constant__ variable; throws Error if there is none of that name.
  virtual std::pair<DeviceAddress, std::size_t> variable(std::string_view name) = 0;
};

/// A CUDA device as the harness sees it: the same PTX runs on either of the two. All calls throw Error for what the
/// device refuses; calls are in order and complete when they return.
///
/// Thread rule: one thread per device at a time.
class Device
{
 public:
  virtual ~Device() = default;

  /// "emulated sm_80 on avx2", or the GPU's own name.
  virtual std::string name() const = 0;

  virtual DeviceAddress allocate(std::size_t bytes, std::string_view name) = 0;
  virtual void free(DeviceAddress address) = 0;
  virtual void write(DeviceAddress address, std::span<const std::byte> bytes) = 0;
  virtual void read(DeviceAddress address, std::span<std::byte> bytes) const = 0;
  virtual void fill(DeviceAddress address, std::byte value, std::size_t bytes) = 0;

  /// `name` stands for the module in messages. A module lives as long as it is held, and not longer than its device.
  virtual std::unique_ptr<Module> load(std::string ptx, std::string name) = 0;

  /// Runs a kernel to its end. Findings and counters are empty on a GPU.
  virtual LaunchResult launch(const Kernel& kernel, const LaunchConfig& config) = 0;
};

/// The processor as a CUDA device. `options` hold for every launch until set_options().
class EmulatedDevice : public Device
{
 public:
  virtual void set_options(const ExecutionOptions& options) = 0;

  /// What a kernel of this device was decoded to: parameters, shared memory, instructions.
  virtual const Program& program(const Kernel& kernel) const = 0;

  /// All allocations, for snapshots and for host addresses.
  virtual GlobalMemory& memory() = 0;
};
std::unique_ptr<EmulatedDevice> make_emulated_device(const ExecutionOptions& options,
                                                     std::size_t memory_bytes = std::size_t{16} << 30);

/// GPU number `ordinal` through the CUDA driver, found at run time; nullptr, and the reason in `why_not`, where there
/// is none.
std::unique_ptr<Device> make_native_device(int ordinal, std::string& why_not);

}  // namespace flashgate::gpu
