#include "matrix/isolation/message_bytes.h"

#include <bit>

#include <fmt/format.h>

namespace flashgate::matrix {

void MessageWriter::number(std::uint64_t value)
{
  for (int shift = 0; shift < 64; shift += 8)
    bytes_ += static_cast<char>(value >> shift & 0xff);
}

void MessageWriter::real(double value) { number(std::bit_cast<std::uint64_t>(value)); }

void MessageWriter::text(std::string_view value)
{
  number(value.size());
  bytes_ += value;
}

std::string_view MessageReader::take(std::size_t count)
{
  if (count > rest_.size())
    throw ProtocolViolation(fmt::format("a message that ends {} bytes early", count - rest_.size()));
  const std::string_view taken = rest_.substr(0, count);
  rest_.remove_prefix(count);
  return taken;
}

std::uint64_t MessageReader::number()
{
  std::uint64_t value = 0;
  int shift = 0;
  for (const char byte : take(sizeof(value))) {
    value |= std::uint64_t{static_cast<unsigned char>(byte)} << shift;
    shift += 8;
  }
  return value;
}

std::uint64_t MessageReader::number_up_to(std::uint64_t largest)
{
  const std::uint64_t value = number();
  if (value > largest) throw ProtocolViolation(fmt::format("a message with {} where at most {} fits", value, largest));
  return value;
}

double MessageReader::real() { return std::bit_cast<double>(number()); }

std::string MessageReader::text()
{
  const std::uint64_t length = number_up_to(rest_.size());
  return std::string(take(static_cast<std::size_t>(length)));
}

void MessageReader::end() const
{
  if (!rest_.empty()) throw ProtocolViolation(fmt::format("a message with {} bytes too many", rest_.size()));
}

}  // namespace flashgate::matrix
