#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace flashgate::matrix {

/// What travels between a supervisor and a worker: a head of 8 bytes (the letters "FG", the protocol's version, the
/// type, the payload's length with the least significant byte first) and the payload, whose form the type says.
enum class FrameType : std::uint8_t {
  ready = 1,    ///< worker: it can be asked from now on; no payload
  request = 2,  ///< supervisor: an ExecutionRequest
  reply = 3     ///< worker: the ExecutionReply to the oldest request that has none
};

inline constexpr std::uint8_t kFrameVersion = 1;
inline constexpr std::size_t kFrameHead = 8;
/// The longest payload that is accepted. The longest honest one is an incident of some 100 KiB.
inline constexpr std::size_t kLongestPayload = std::size_t{1} << 20;

struct Frame
{
  FrameType type = FrameType::ready;
  std::string payload;
};

std::string to_bytes(FrameType type, std::string_view payload);

/// Cuts a stream of bytes into frames. It never holds much more than one frame and one read, whatever it is fed.
class FrameReader
{
 public:
  void feed(std::string_view bytes) { bytes_ += bytes; }

  /// The next whole frame, if there is one. Throws ProtocolViolation as soon as the bytes can't be the start of a frame
  /// or announce a payload that is too long.
  std::optional<Frame> next();

  /// Bytes of a frame that is not whole yet.
  std::size_t pending() const { return bytes_.size() - start_; }

 private:
  std::string bytes_;
  std::size_t start_ = 0;  ///< of the next frame
};

}  // namespace flashgate::matrix
