#include "reports/packed_text.h"

#include <cstdint>

#include <zlib.h>

#include "reference/error.h"

namespace flashgate::reports {
namespace {

constexpr std::string_view kAlphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/// Half the time of zlib's default level, for a few per cent more bytes.
constexpr int kLevel = 4;

}  // namespace

std::string base64(std::string_view text)
{
  std::string result;
  result.reserve((text.size() + 2) / 3 * 4);
  for (std::size_t at = 0; at < text.size(); at += 3) {
    std::uint32_t group = 0;
    for (std::size_t i = 0; i < 3; ++i)
      group = group << 8 | (at + i < text.size() ? static_cast<unsigned char>(text[at + i]) : 0U);
    const std::size_t sextets = text.size() - at >= 3 ? 4 : text.size() - at + 1;
    for (std::size_t i = 0; i < 4; ++i)
      result += i < sextets ? kAlphabet[group >> (18 - 6 * i) & 63U] : '=';
  }
  return result;
}

std::string packed_text(std::string_view text)
{
  uLongf size = compressBound(text.size());
  std::string packed(size, '\0');
  const int status = compress2(reinterpret_cast<Bytef*>(packed.data()), &size,
                               reinterpret_cast<const Bytef*>(text.data()), text.size(), kLevel);
  if (status != Z_OK) throw Error("zlib cannot pack the page's data: out of memory");
  packed.resize(size);
  return base64(packed);
}

}  // namespace flashgate::reports
