#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "reference/error.h"

namespace flashgate::matrix {

/// The other side of a worker's socket does not keep to the protocol. One line; what it quotes is printable.
class ProtocolViolation : public Error
{
 public:
  explicit ProtocolViolation(const std::string& line) : Error(line) {}
};

/// Builds a message: numbers as 8 bytes, least significant first; a text as its length and its bytes.
class MessageWriter
{
 public:
  void number(std::uint64_t value);
  void real(double value);
  void text(std::string_view value);

  std::string take() { return std::move(bytes_); }

 private:
  std::string bytes_;
};

/// Reads a message back, in the order in which it was written. Every function throws ProtocolViolation if the message
/// does not hold what is asked for.
class MessageReader
{
 public:
  /// `bytes` must outlive it.
  explicit MessageReader(std::string_view bytes) : rest_(bytes) {}

  std::uint64_t number();
  std::int64_t signed_number() { return static_cast<std::int64_t>(number()); }
  double real();
  std::string text();

  /// A number that is at most `largest`.
  std::uint64_t number_up_to(std::uint64_t largest);

  /// Nothing may be left.
  void end() const;

 private:
  std::string_view take(std::size_t count);

  std::string_view rest_;
};

}  // namespace flashgate::matrix
