#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <utility>

#include "gpu/device.h"

namespace flashgate::gpu::mutation {

/// How much of what block classes save was done.
struct Work
{
  std::uint64_t matrix = 0;     ///< warp instructions: tiles that were computed
  std::uint64_t predicate = 0;  ///< warp instructions: tiles that were tested element by element
  std::uint64_t all = 0;        ///< warp instructions

  bool operator==(const Work&) const = default;
};

/// The emulated device, with what its launches counted.
class CountingDevice : public Device
{
 public:
  CountingDevice() : device_(make_emulated_device({})) {}

  void set_options(const ExecutionOptions& options) { device_->set_options(options); }

  /// Of the launches since the last call.
  Work take_work() { return std::exchange(work_, {}); }

  std::string name() const override { return device_->name(); }
  DeviceAddress allocate(std::size_t bytes, std::string_view name) override { return device_->allocate(bytes, name); }
  void free(DeviceAddress address) override { device_->free(address); }
  void write(DeviceAddress address, std::span<const std::byte> bytes) override { device_->write(address, bytes); }
  void read(DeviceAddress address, std::span<std::byte> bytes) const override { device_->read(address, bytes); }
  void fill(DeviceAddress address, std::byte value, std::size_t bytes) override
  {
    device_->fill(address, value, bytes);
  }
  std::unique_ptr<Module> load(std::string ptx, std::string name) override
  {
    return device_->load(std::move(ptx), std::move(name));
  }
  LaunchResult launch(const Kernel& kernel, const LaunchConfig& config) override;

 private:
  std::unique_ptr<EmulatedDevice> device_;
  Work work_;
};

}  // namespace flashgate::gpu::mutation
