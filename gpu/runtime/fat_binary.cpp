#include "gpu/runtime/fat_binary.h"

#include <algorithm>
#include <cstring>

#include <lz4.h>
#include <zstd.h>

#include "reference/error.h"

namespace flashgate::gpu::runtime {
namespace {

constexpr std::uint32_t kContainerMagic = 0xBA55ED50;
constexpr std::uint64_t kLz4 = 0x2000;
constexpr std::uint64_t kZstd = 0x8000;
constexpr std::uint64_t kMaxInflated = std::uint64_t{1} << 30;

struct ContainerHeader
{
  std::uint32_t magic;
  std::uint16_t version;
  std::uint16_t header_size;
  std::uint64_t size;
};
static_assert(sizeof(ContainerHeader) == 16);

struct EntryHeader
{
  std::uint16_t kind;  // 1: PTX, 2: machine code
  std::uint16_t version;
  std::uint32_t header_size;
  std::uint64_t payload_size;
  std::uint32_t compressed_size;
  std::uint32_t options_offset;
  std::uint16_t minor;
  std::uint16_t major;
  std::uint32_t architecture;
  std::uint32_t name_offset;
  std::uint32_t name_length;
  std::uint64_t flags;
  std::uint64_t reserved;
  std::uint64_t inflated_size;
};
static_assert(sizeof(EntryHeader) == 64);

template <typename Header>
Header read_header(std::span<const std::byte> bytes, const char* what)
{
  Header header;
  if (bytes.size() < sizeof header) throw Error(std::string("fat binary: ends inside ") + what);
  std::memcpy(&header, bytes.data(), sizeof header);
  return header;
}

std::string inflate(std::span<const std::byte> payload, const EntryHeader& entry)
{
  if (entry.inflated_size == 0 || entry.inflated_size > kMaxInflated || entry.compressed_size > payload.size())
    throw Error("fat binary: sizes of a compressed image don't fit");
  std::string text(entry.inflated_size, '\0');
  if ((entry.flags & kZstd) != 0) {
    const std::size_t size = ZSTD_decompress(text.data(), text.size(), payload.data(), entry.compressed_size);
    if (ZSTD_isError(size) != 0) throw Error(std::string("fat binary: zstd: ") + ZSTD_getErrorName(size));
    text.resize(size);
  } else {
    const int size = LZ4_decompress_safe(reinterpret_cast<const char*>(payload.data()), text.data(),
                                         static_cast<int>(entry.compressed_size), static_cast<int>(text.size()));
    if (size < 0) throw Error("fat binary: damaged LZ4 data");
    text.resize(static_cast<std::size_t>(size));
  }
  return text;
}

FatBinaryImage read_image(const EntryHeader& entry, std::span<const std::byte> payload)
{
  FatBinaryImage image;
  image.architecture = entry.architecture;
  if (entry.kind == 2) image.kind = FatBinaryImage::Kind::machine_code;
  if (entry.kind != 1) return image;
  image.kind = FatBinaryImage::Kind::ptx;
  if ((entry.flags & (kLz4 | kZstd)) != 0)
    image.ptx = inflate(payload, entry);
  else
    image.ptx.assign(reinterpret_cast<const char*>(payload.data()), payload.size());
  // The text ends with NULs that fill the payload up.
  image.ptx.resize(std::strlen(image.ptx.c_str()));
  return image;
}

}  // namespace

std::vector<FatBinaryImage> read_fat_binary(std::span<const std::byte> container)
{
  const auto header = read_header<ContainerHeader>(container, "its header");
  if (header.magic != kContainerMagic) throw Error("fat binary: wrong magic number");
  if (header.header_size < sizeof header || header.header_size > container.size() ||
      header.size > container.size() - header.header_size)
    throw Error("fat binary: its header's sizes don't fit");
  std::span<const std::byte> rest = container.subspan(header.header_size, header.size);
  std::vector<FatBinaryImage> images;
  while (!rest.empty()) {
    const auto entry = read_header<EntryHeader>(rest, "an image's header");
    if (entry.header_size < sizeof entry || entry.header_size > rest.size() ||
        entry.payload_size > rest.size() - entry.header_size)
      throw Error("fat binary: an image's sizes don't fit");
    images.push_back(read_image(entry, rest.subspan(entry.header_size, entry.payload_size)));
    rest = rest.subspan(entry.header_size + entry.payload_size);
  }
  return images;
}

std::span<const std::byte> container_at(const void* header)
{
  ContainerHeader read;
  std::memcpy(&read, header, sizeof read);
  if (read.magic != kContainerMagic) throw Error("fat binary: wrong magic number");
  return {static_cast<const std::byte*>(header), read.header_size + read.size};
}

const FatBinaryImage& choose_ptx(const std::vector<FatBinaryImage>& images, std::uint32_t architecture)
{
  const FatBinaryImage* best = nullptr;
  std::string others;
  for (const FatBinaryImage& image : images) {
    const bool is_ptx = image.kind == FatBinaryImage::Kind::ptx;
    if (is_ptx && image.architecture <= architecture && (best == nullptr || image.architecture > best->architecture))
      best = &image;
    if (image.kind == FatBinaryImage::Kind::other) continue;
    others += (others.empty() ? "" : ", ") + std::string(is_ptx ? "PTX for compute_" : "machine code for sm_") +
              std::to_string(image.architecture);
  }
  if (best != nullptr) return *best;
  throw Error("the program holds no PTX for sm_" + std::to_string(architecture) + " (only " +
              (others.empty() ? "nothing" : others) + "); build it with -gencode arch=compute_" +
              std::to_string(architecture) + ",code=compute_" + std::to_string(architecture));
}

}  // namespace flashgate::gpu::runtime
