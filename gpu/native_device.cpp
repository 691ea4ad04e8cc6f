#include <map>
#include <utility>

#include "gpu/cuda_driver.h"
#include "gpu/device.h"
#include "reference/error.h"

namespace flashgate::gpu {
namespace {

/// Dynamic shared memory beyond this needs the kernel's consent.
constexpr std::uint32_t kSharedWithoutOptIn = 48 * 1024;

class NativeKernel : public Kernel
{
 public:
  NativeKernel(std::string name, CudaDriver::Function function) : name_(std::move(name)), function_(function) {}

  const std::string& name() const override { return name_; }
  std::string site(std::int32_t) const override { return {}; }
  CudaDriver::Function function() const { return function_; }

 private:
  std::string name_;
  CudaDriver::Function function_;
};

class NativeModule : public Module
{
 public:
  NativeModule(const CudaDriver& driver, const std::string& ptx) : driver_(driver)
  {
    driver_.check(driver_.cuModuleLoadData(&module_, ptx.c_str()), "the driver refuses the PTX");
  }
  NativeModule(const NativeModule&) = delete;
  NativeModule& operator=(const NativeModule&) = delete;
  ~NativeModule() override { driver_.cuModuleUnload(module_); }

  const Kernel& kernel(std::string_view entry) override
  {
    const std::string name(entry);
    const auto known = kernels_.find(name);
    if (known != kernels_.end()) return known->second;
    CudaDriver::Function function = nullptr;
    driver_.check(driver_.cuModuleGetFunction(&function, module_, name.c_str()), ("entry " + name).c_str());
    return kernels_.emplace(name, NativeKernel(name, function)).first->second;
  }

  std::pair<DeviceAddress, std::size_t> variable(std::string_view name) override
  {
    CudaDriver::Address address = 0;
    std::size_t bytes = 0;
    const std::string text(name);
    driver_.check(driver_.cuModuleGetGlobal(&address, &bytes, module_, text.c_str()), ("variable " + text).c_str());
    return {address, bytes};
  }

 private:
  const CudaDriver& driver_;
  CudaDriver::Module module_ = nullptr;
  std::map<std::string, NativeKernel> kernels_;
};

class NativeDevice : public Device
{
 public:
  NativeDevice(const CudaDriver& driver, int ordinal) : driver_(driver)
  {
    driver_.check(driver_.cuDeviceGet(&device_, ordinal), "no GPU of this number");
    char name[256] = {};
    driver_.check(driver_.cuDeviceGetName(name, sizeof name, device_), "the GPU's name");
    name_ = name;
    driver_.check(driver_.cuDevicePrimaryCtxRetain(&context_, device_), "context");
    use();
  }
  NativeDevice(const NativeDevice&) = delete;
  NativeDevice& operator=(const NativeDevice&) = delete;
  ~NativeDevice() override { driver_.cuDevicePrimaryCtxRelease(device_); }

  std::string name() const override { return name_; }

  DeviceAddress allocate(std::size_t bytes, std::string_view name) override
  {
    use();
    CudaDriver::Address address = 0;
    driver_.check(driver_.cuMemAlloc(&address, bytes), ("memory for " + std::string(name)).c_str());
    return address;
  }

  void free(DeviceAddress address) override
  {
    use();
    driver_.check(driver_.cuMemFree(address), "free");
  }

  void write(DeviceAddress address, std::span<const std::byte> bytes) override
  {
    use();
    driver_.check(driver_.cuMemcpyHtoD(address, bytes.data(), bytes.size()), "copy to the GPU");
  }

  void read(DeviceAddress address, std::span<std::byte> bytes) const override
  {
    use();
    driver_.check(driver_.cuMemcpyDtoH(bytes.data(), address, bytes.size()), "copy from the GPU");
  }

  void fill(DeviceAddress address, std::byte value, std::size_t bytes) override
  {
    use();
    driver_.check(driver_.cuMemsetD8(address, static_cast<unsigned char>(value), bytes), "fill");
  }

  std::unique_ptr<Module> load(std::string ptx, std::string) override
  {
    use();
    return std::make_unique<NativeModule>(driver_, ptx);
  }

  LaunchResult launch(const Kernel& kernel, const LaunchConfig& config) override
  {
    use();
    if (config.cooperative) throw Error("cuda: cooperative launches are not supported on the native device");
    const CudaDriver::Function function = static_cast<const NativeKernel&>(kernel).function();
    if (config.dynamic_shared_bytes > kSharedWithoutOptIn)
      driver_.check(driver_.cuFuncSetAttribute(function, CudaDriver::kMaxDynamicSharedBytes,
                                               static_cast<int>(config.dynamic_shared_bytes)),
                    "dynamic shared memory");
    std::vector<std::byte> parameters = config.parameters;
    std::size_t size = parameters.size();
    void* extra[] = {CudaDriver::kParameterPointer, parameters.data(), CudaDriver::kParameterSize, &size, nullptr};
    driver_.check(
        driver_.cuLaunchKernel(function, config.grid.x, config.grid.y, config.grid.z, config.block.x, config.block.y,
                               config.block.z, config.dynamic_shared_bytes, nullptr, nullptr, extra),
        kernel.name().c_str());
    driver_.check(driver_.cuCtxSynchronize(), kernel.name().c_str());
    LaunchResult result;
    result.completed = true;
    return result;
  }

 private:
  /// A context is current per thread, and a device may go from one to another.
  void use() const { driver_.check(driver_.cuCtxSetCurrent(context_), "context"); }

  const CudaDriver& driver_;
  CudaDriver::Device device_ = 0;
  CudaDriver::Context context_ = nullptr;
  std::string name_;
};

}  // namespace

std::unique_ptr<Device> make_native_device(int ordinal, std::string& why_not)
{
  const CudaDriver* driver = find_cuda_driver(why_not);
  if (driver == nullptr) return nullptr;
  return std::make_unique<NativeDevice>(*driver, ordinal);
}

}  // namespace flashgate::gpu
