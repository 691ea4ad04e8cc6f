#include "gpu/runtime/fat_binary.h"

#include <cstring>
#include <span>
#include <string>
#include <vector>

#include <doctest/doctest.h>
#include <lz4.h>
#include <zstd.h>

#include "reference/error.h"

namespace flashgate::gpu::runtime {
namespace {

constexpr std::uint64_t kPlain = 0;
constexpr std::uint64_t kLz4 = 0x2000;
constexpr std::uint64_t kZstd = 0x8000;
const std::string kPtx =
    ".version 8.0\n.target sm_80\n.address_size 64\n// a text that compresses: aaaaaaaaaaaaaaaaaaaa\n";

using Bytes = std::vector<std::byte>;

template <typename T>
void append(Bytes& bytes, T value)
{
  for (const std::byte byte : std::as_bytes(std::span(&value, 1)))
    bytes.push_back(byte);
}

void append(Bytes& bytes, const std::string& text)
{
  for (const char c : text)
    bytes.push_back(static_cast<std::byte>(c));
}

std::string compressed(const std::string& text, std::uint64_t flags)
{
  std::string out(text.size() + 512, '\0');
  if (flags == kLz4)
    out.resize(static_cast<std::size_t>(
        LZ4_compress_default(text.data(), out.data(), static_cast<int>(text.size()), static_cast<int>(out.size()))));
  else if (flags == kZstd)
    out.resize(ZSTD_compress(out.data(), out.size(), text.data(), text.size(), 3));
  else
    out = text;
  return out;
}

/// One entry as nvcc lays it out.
Bytes entry(std::uint16_t kind, std::uint32_t architecture, const std::string& text, std::uint64_t flags)
{
  const std::string payload = compressed(text, flags);
  const std::uint64_t padded = (payload.size() + 7) / 8 * 8;
  Bytes bytes;
  append(bytes, kind);
  append(bytes, std::uint16_t{0x101});
  append(bytes, std::uint32_t{64});
  append(bytes, padded);
  append(bytes, flags == kPlain ? 0U : static_cast<std::uint32_t>(payload.size()));
  append(bytes, std::uint32_t{0});
  append(bytes, std::uint16_t{0});
  append(bytes, std::uint16_t{8});
  append(bytes, architecture);
  append(bytes, std::uint64_t{0});
  append(bytes, flags);
  append(bytes, std::uint64_t{0});
  append(bytes, flags == kPlain ? std::uint64_t{0} : std::uint64_t{text.size()});
  append(bytes, payload);
  bytes.resize(64 + padded);
  return bytes;
}

Bytes container(const std::vector<Bytes>& entries)
{
  Bytes body;
  for (const Bytes& one : entries)
    for (const std::byte byte : one)
      body.push_back(byte);
  Bytes bytes;
  append(bytes, std::uint32_t{0xBA55ED50});
  append(bytes, std::uint16_t{1});
  append(bytes, std::uint16_t{16});
  append(bytes, std::uint64_t{body.size()});
  for (const std::byte byte : body)
    bytes.push_back(byte);
  return bytes;
}

TEST_CASE("PTX is read from a fat binary, plain or compressed")
{
  for (const std::uint64_t flags : {kPlain, kLz4, kZstd}) {
    CAPTURE(flags);
    const auto images = read_fat_binary(container({entry(1, 80, kPtx, flags), entry(2, 80, "cubin", kPlain)}));
    REQUIRE(images.size() == 2);
    CHECK(images[0].kind == FatBinaryImage::Kind::ptx);
    CHECK(images[0].architecture == 80);
    CHECK(images[0].ptx == kPtx);
    CHECK(images[1].kind == FatBinaryImage::Kind::machine_code);
    CHECK(images[1].ptx.empty());
  }
}

TEST_CASE("a container is found by its own header")
{
  Bytes bytes = container({entry(1, 80, kPtx, kPlain)});
  const std::size_t size = bytes.size();
  bytes.resize(size + 100);
  CHECK(container_at(bytes.data()).size() == size);
  bytes[0] = std::byte{0};
  CHECK_THROWS_WITH_AS(container_at(bytes.data()), "fat binary: wrong magic number", Error);
}

TEST_CASE("the highest PTX that the device can run is chosen")
{
  const auto images =
      read_fat_binary(container({entry(1, 70, "a", kPlain), entry(1, 80, "b", kPlain), entry(1, 90, "c", kPlain)}));
  CHECK(choose_ptx(images, 80).ptx == "b");
  CHECK(choose_ptx(images, 86).ptx == "b");
  CHECK(choose_ptx(images, 120).ptx == "c");
  CHECK_THROWS_WITH_AS(choose_ptx(images, 60),
                       "the program holds no PTX for sm_60 (only PTX for compute_70, PTX for compute_80, PTX for "
                       "compute_90); build it with -gencode arch=compute_60,code=compute_60",
                       Error);
}

TEST_CASE("a program with machine code only is told how to be built")
{
  const auto images = read_fat_binary(container({entry(2, 80, "cubin", kPlain)}));
  CHECK_THROWS_WITH_AS(choose_ptx(images, 80),
                       "the program holds no PTX for sm_80 (only machine code for sm_80); build it with -gencode "
                       "arch=compute_80,code=compute_80",
                       Error);
  CHECK_THROWS_AS(choose_ptx({}, 80), Error);
}

TEST_CASE("a fat binary cut short anywhere is an error, never a crash")
{
  for (const std::uint64_t flags : {kPlain, kLz4, kZstd}) {
    const Bytes whole = container({entry(1, 80, kPtx, flags)});
    for (std::size_t size = 0; size < whole.size(); ++size)
      CHECK_THROWS_AS(read_fat_binary(std::span(whole).first(size)), Error);
  }
}

TEST_CASE("damaged bytes give an error or other text, never a crash")
{
  for (const std::uint64_t flags : {kPlain, kLz4, kZstd}) {
    const Bytes whole = container({entry(1, 80, kPtx, flags)});
    for (std::size_t i = 0; i < whole.size(); ++i)
      for (const std::byte flip : {std::byte{0x01}, std::byte{0x80}, std::byte{0xFF}}) {
        Bytes damaged = whole;
        damaged[i] ^= flip;
        try {
          const auto images = read_fat_binary(damaged);
          CHECK(images.size() <= damaged.size() / 64);
        } catch (const Error& error) {
          CHECK(std::strlen(error.what()) > 0);
        }
      }
  }
}

}  // namespace
}  // namespace flashgate::gpu::runtime
