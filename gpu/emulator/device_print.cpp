#include "gpu/emulator/device_print.h"

#include <cstdio>

#include "gpu/emulator/thread_memory.h"

namespace flashgate::gpu {
namespace {

/// Reads the arguments of one call in turn.
class Arguments
{
 public:
  Arguments(const Warp& warp, int lane, std::uint64_t address) : warp_(warp), lane_(lane), next_(address) {}

  template <typename T>
  T take()
  {
    next_ = (next_ + sizeof(T) - 1) / sizeof(T) * sizeof(T);
    T value{};
    read_generic(warp_, lane_, next_, &value, sizeof(T));
    next_ += sizeof(T);
    return value;
  }

  std::string take_text() { return read_text(warp_, lane_, take<std::uint64_t>()).value_or("(bad string)"); }

 private:
  const Warp& warp_;
  int lane_;
  std::uint64_t next_;
};

template <typename T>
std::string convert(const std::string& conversion, T value)
{
  // The format is built by parse_conversion() and fits the value.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
  const int length = std::snprintf(nullptr, 0, conversion.c_str(), value);
  std::string text(static_cast<std::size_t>(length < 0 ? 0 : length), '\0');
  std::snprintf(text.data(), text.size() + 1, conversion.c_str(), value);
#pragma GCC diagnostic pop
  return text;
}

/// "%-*.3lld" taken apart: what is before the length, and whether the length means 8 bytes.
struct Conversion
{
  std::string flags;  ///< with `%`, width and precision; `*` replaced
  bool wide = false;
  char kind = '\0';
  std::size_t end = 0;
};

Conversion parse_conversion(const std::string& format, std::size_t begin, Arguments& arguments)
{
  Conversion conversion;
  conversion.flags = "%";
  std::size_t at = begin + 1;
  while (at < format.size() && std::string_view("-+ #0123456789.*").find(format[at]) != std::string_view::npos) {
    if (format[at] == '*') {
      conversion.flags += std::to_string(arguments.take<std::int32_t>());
    } else {
      conversion.flags += format[at];
    }
    ++at;
  }
  int longs = 0;
  while (at < format.size() && std::string_view("hljztL").find(format[at]) != std::string_view::npos) {
    if (format[at] != 'h') ++longs;
    ++at;
  }
  conversion.wide = longs > 0;
  conversion.kind = at < format.size() ? format[at] : '\0';
  conversion.end = at + 1;
  return conversion;
}

std::string convert_one(const Conversion& conversion, Arguments& arguments)
{
  switch (conversion.kind) {
    case 'd':
    case 'i':
      if (conversion.wide) return convert(conversion.flags + "lld", arguments.take<long long>());
      return convert(conversion.flags + "d", arguments.take<int>());
    case 'u':
    case 'x':
    case 'X':
    case 'o':
      if (conversion.wide) {
        return convert(conversion.flags + "ll" + conversion.kind, arguments.take<unsigned long long>());
      }
      return convert(conversion.flags + conversion.kind, arguments.take<unsigned>());
    case 'c':
      return convert(conversion.flags + "c", arguments.take<int>());
    case 'p':
      return convert(conversion.flags + "p", reinterpret_cast<void*>(arguments.take<std::uint64_t>()));
    case 's':
      return convert(conversion.flags + "s", arguments.take_text().c_str());
    default:
      return convert(conversion.flags + conversion.kind, arguments.take<double>());
  }
}

}  // namespace

PrintedText format_text(const Warp& warp, int lane, const std::string& format, std::uint64_t arguments)
{
  Arguments given(warp, lane, arguments);
  PrintedText printed;
  std::size_t at = 0;
  while (at < format.size()) {
    const std::size_t percent = format.find('%', at);
    printed.text += format.substr(at, percent - at);
    if (percent == std::string::npos) break;
    const Conversion conversion = parse_conversion(format, percent, given);
    if (conversion.kind == '%') {
      printed.text += '%';
    } else if (std::string_view("diuxXocpsfFeEgGaA").find(conversion.kind) == std::string_view::npos ||
               conversion.kind == '\0') {
      printed.text += format.substr(percent, conversion.end - percent);
    } else {
      printed.text += convert_one(conversion, given);
      ++printed.conversions;
    }
    at = conversion.end;
  }
  return printed;
}

}  // namespace flashgate::gpu
