#include <map>
#include <utility>

#include "gpu/device.h"
#include "gpu/emulator/loaded_module.h"
#include "gpu/emulator/memory/global_memory.h"
#include "gpu/emulator/ptx/module.h"

namespace flashgate::gpu {
namespace {

/// An entry, decoded twice if need be: with a slot for every register where checks are on, else for speed.
class EmulatedKernel : public Kernel
{
 public:
  EmulatedKernel(const LoadedModule& module, std::string name) : module_(module), name_(std::move(name)) {}

  const std::string& name() const override { return name_; }
  std::string site(std::int32_t instruction) const override
  {
    return instruction < 0 ? std::string() : describe_site(program(true, isa::best_core()), instruction);
  }

  const Program& program(bool checked, isa::Core core) const
  {
    std::shared_ptr<const Program>& known = programs_[{checked, core}];
    if (known == nullptr) known = module_.program(name_, {core, checked, {}});
    return *known;
  }

 private:
  const LoadedModule& module_;
  std::string name_;
  mutable std::map<std::pair<bool, isa::Core>, std::shared_ptr<const Program>> programs_;
};

class EmulatedModule : public Module
{
 public:
  EmulatedModule(std::shared_ptr<const ptx::Module> module, GlobalMemory& memory) : loaded_(std::move(module), memory)
  {
  }

  const Kernel& kernel(std::string_view entry) override
  {
    const auto [place, is_new] = kernels_.try_emplace(std::string(entry), loaded_, std::string(entry));
    return place->second;
  }

  std::pair<DeviceAddress, std::size_t> variable(std::string_view name) override { return loaded_.variable(name); }

 private:
  LoadedModule loaded_;
  std::map<std::string, EmulatedKernel, std::less<>> kernels_;
};

class Emulator : public EmulatedDevice
{
 public:
  Emulator(const ExecutionOptions& options, std::size_t memory_bytes) : options_(options), memory_(memory_bytes) {}

  std::string name() const override { return "emulated on " + std::string(isa::core_name(options_.core)); }
  DeviceAddress allocate(std::size_t bytes, std::string_view name) override
  {
    return memory_.allocate(bytes, std::string(name));
  }
  void free(DeviceAddress address) override { memory_.free(address); }
  void write(DeviceAddress address, std::span<const std::byte> bytes) override { memory_.copy_in(address, bytes); }
  void read(DeviceAddress address, std::span<std::byte> bytes) const override { memory_.copy_out(bytes, address); }
  void fill(DeviceAddress address, std::byte value, std::size_t bytes) override { memory_.fill(address, value, bytes); }

  std::unique_ptr<Module> load(std::string ptx, std::string name) override
  {
    auto module = std::make_shared<const ptx::Module>(ptx::parse_module(std::move(ptx), std::move(name)));
    return std::make_unique<EmulatedModule>(std::move(module), memory_);
  }

  LaunchResult launch(const Kernel& kernel, const LaunchConfig& config) override
  {
    return gpu::launch(program(kernel), memory_, config, options_);
  }

  void set_options(const ExecutionOptions& options) override { options_ = options; }
  const Program& program(const Kernel& kernel) const override
  {
    const bool checked = options_.checks != CheckSet::always();
    return static_cast<const EmulatedKernel&>(kernel).program(checked, options_.core);
  }
  GlobalMemory& memory() override { return memory_; }

 private:
  ExecutionOptions options_;
  GlobalMemory memory_;
};

}  // namespace

std::unique_ptr<EmulatedDevice> make_emulated_device(const ExecutionOptions& options, std::size_t memory_bytes)
{
  return std::make_unique<Emulator>(options, memory_bytes);
}

}  // namespace flashgate::gpu
