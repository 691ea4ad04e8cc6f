#include <cstring>

#include <fmt/format.h>

#include "gpu/emulator/memory/global_memory.h"
#include "reference/error.h"

namespace flashgate::gpu {

GlobalMemory::Snapshot GlobalMemory::snapshot() const
{
  Snapshot result;
  for (const Allocation* a : allocations()) {
    Snapshot::Part part;
    part.id = a->id;
    part.address = a->base;
    part.name = a->name;
    part.contents.assign(a->data(), a->data() + a->bytes);
    if (a->written) part.written = std::make_unique<WrittenBits>(*a->written);
    result.parts_.push_back(std::move(part));
  }
  return result;
}

void GlobalMemory::restore(const Snapshot& snapshot)
{
  for (const Snapshot::Part& part : snapshot.parts_) {
    Allocation* a = find(part.address, part.contents.size());
    if (a == nullptr || a->id != part.id) {
      throw Error(fmt::format("memory can't be restored: {} was freed after the snapshot", part.name));
    }
    if (!part.contents.empty()) std::memcpy(a->data(), part.contents.data(), part.contents.size());
    a->written = part.written ? std::make_unique<WrittenBits>(*part.written) : nullptr;
  }
}

bool GlobalMemory::has_contents_of(const Snapshot& snapshot) const
{
  for (const Snapshot::Part& part : snapshot.parts_) {
    const Allocation* a = find(part.address, part.contents.size());
    if (a == nullptr || a->id != part.id) return false;
    if (std::memcmp(a->data(), part.contents.data(), part.contents.size()) != 0) return false;
  }
  return true;
}

std::size_t GlobalMemory::Snapshot::bytes() const
{
  std::size_t sum = 0;
  for (const Part& part : parts_)
    sum += part.contents.size();
  return sum;
}

}  // namespace flashgate::gpu
