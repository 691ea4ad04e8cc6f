#include "gpu/emulator/thread_memory.h"

#include <cstring>

#include "gpu/emulator/memory/address.h"

namespace flashgate::gpu {
namespace {

const std::byte* within(const std::byte* from, std::size_t size, std::uint64_t offset, std::size_t bytes)
{
  return bytes <= size && offset <= size - bytes ? from + offset : nullptr;
}

const std::byte* locate(const Warp& warp, int lane, std::uint64_t address, std::size_t bytes)
{
  const std::uint64_t offset = address & ~kWindowMask;
  switch (space_of(address)) {
    case StateSpace::shared:
      return within(warp.block_memory->shared.data(), warp.block_memory->shared.size(), offset, bytes);
    case StateSpace::local:
      return within(warp.memory.local.data() + static_cast<std::size_t>(lane) * warp.memory.local_bytes,
                    warp.memory.local_bytes, offset, bytes);
    case StateSpace::param:
      return within(warp.context->parameters.data(), warp.context->parameters.size(), offset, bytes);
    default:
      return warp.context->global->find(address, bytes) == nullptr ? nullptr
                                                                   : reinterpret_cast<const std::byte*>(address);
  }
}

}  // namespace

bool read_generic(const Warp& warp, int lane, std::uint64_t address, void* to, std::size_t bytes)
{
  const std::byte* const from = locate(warp, lane, address, bytes);
  if (from != nullptr) std::memcpy(to, from, bytes);
  return from != nullptr;
}

std::optional<std::string> read_text(const Warp& warp, int lane, std::uint64_t address)
{
  constexpr std::size_t kLongest = std::size_t{1} << 20;
  std::string text;
  char character = '\0';
  while (text.size() < kLongest && read_generic(warp, lane, address + text.size(), &character, 1)) {
    if (character == '\0') return text;
    text += character;
  }
  return std::nullopt;
}

template <typename T>
T read_local(const Warp& warp, int lane, std::uint64_t offset)
{
  T value{};
  read_generic(warp, lane, kLocalWindow | offset, &value, sizeof(T));
  return value;
}
template std::uint32_t read_local(const Warp&, int, std::uint64_t);
template std::uint64_t read_local(const Warp&, int, std::uint64_t);

void write_local(Warp& warp, int lane, std::uint64_t offset, std::uint32_t value)
{
  const std::size_t at = static_cast<std::size_t>(lane) * warp.memory.local_bytes + offset;
  std::memcpy(warp.memory.local.data() + at, &value, sizeof(value));
  if (warp.context->checks.has(Check::uninit_local)) warp.memory.local_written.set(at, sizeof(value));
}

}  // namespace flashgate::gpu
