#include "matrix/isolation/frame.h"

#include <algorithm>

#include <fmt/format.h>

#include "matrix/isolation/message_bytes.h"
#include "matrix/texts.h"

namespace flashgate::matrix {
namespace {

constexpr std::string_view kMagic("FG\x01", 3);  // letters and version
static_assert(kMagic[2] == kFrameVersion);

unsigned byte_at(std::string_view bytes, std::size_t at) { return static_cast<unsigned char>(bytes[at]); }

void check_start(std::string_view bytes)
{
  const std::string_view start = bytes.substr(0, kMagic.size());
  if (kMagic.starts_with(start)) return;
  throw ProtocolViolation(
      fmt::format("wrote \"{}\", expected a frame of version {}", printable(bytes.substr(0, 40)), kFrameVersion));
}

FrameType type_of(unsigned number)
{
  const auto type = static_cast<FrameType>(number);
  if (type < FrameType::ready || type > FrameType::reply)
    throw ProtocolViolation(fmt::format("wrote a frame of type {}, which does not exist", number));
  return type;
}

std::size_t length_of(std::string_view head)
{
  std::size_t length = 0;
  for (std::size_t n = 0; n < 4; ++n)
    length |= std::size_t{byte_at(head, 4 + n)} << (8 * n);
  if (length > kLongestPayload)
    throw ProtocolViolation(
        fmt::format("announced a payload of {} bytes, expected at most {}", length, kLongestPayload));
  return length;
}

}  // namespace

std::string to_bytes(FrameType type, std::string_view payload)
{
  std::string bytes(kMagic);
  bytes += static_cast<char>(type);
  for (int shift = 0; shift < 32; shift += 8)
    bytes += static_cast<char>(payload.size() >> shift & 0xff);
  bytes += payload;
  return bytes;
}

std::optional<Frame> FrameReader::next()
{
  const std::string_view rest = std::string_view(bytes_).substr(start_);
  check_start(rest);
  if (rest.size() < kFrameHead) return std::nullopt;
  const FrameType type = type_of(byte_at(rest, kMagic.size()));
  const std::size_t length = length_of(rest);
  if (rest.size() < kFrameHead + length) return std::nullopt;
  Frame frame{type, std::string(rest.substr(kFrameHead, length))};
  start_ += kFrameHead + length;
  if (start_ == bytes_.size() || start_ > kLongestPayload) {
    bytes_.erase(0, start_);
    start_ = 0;
  }
  return frame;
}

}  // namespace flashgate::matrix
