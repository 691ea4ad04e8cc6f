#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace flashgate::gpu::runtime {

/// One image inside a fat binary.
struct FatBinaryImage
{
  enum class Kind : std::uint8_t { ptx, machine_code, other };
  Kind kind = Kind::other;
  std::uint32_t architecture = 0;  ///< 80 for compute_80 or sm_80
  std::string ptx;                 ///< inflated text; empty for other kinds
};

/// What nvcc embeds in a program: PTX and machine code for one or several architectures. The layout is documented by
/// nobody; it was read off programs that nvcc 11 to 13 made. A container is a 16-byte header (magic 0xBA55ED50,
/// version, header size, size of what follows) and entries, each a header (kind, header size, payload size, compressed
/// size, flags, inflated size) and a payload: plain text, LZ4 (flag 0x2000) or zstd (flag 0x8000).
///
/// Throws Error for bytes that are no such container, or that end too early.
std::vector<FatBinaryImage> read_fat_binary(std::span<const std::byte> container);

/// The container that a program hands to __cudaRegisterFatBinary, by its own header's length.
std::span<const std::byte> container_at(const void* header);

/// The image that a device of `architecture` (80 for sm_80) would compile: the PTX of the highest architecture not
/// above it. Throws Error that says what there is instead.
const FatBinaryImage& choose_ptx(const std::vector<FatBinaryImage>& images, std::uint32_t architecture);

}  // namespace flashgate::gpu::runtime
