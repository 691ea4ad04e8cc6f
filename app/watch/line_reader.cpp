#include "app/watch/line_reader.h"

#include <cerrno>

#include <unistd.h>

namespace flashgate::app {
namespace {

constexpr std::size_t kLongestLine = 1 << 20;

}  // namespace

bool LineReader::read()
{
  char buffer[1 << 16];
  const ssize_t count = ::read(descriptor_, buffer, sizeof buffer);
  fresh_.assign(buffer, count > 0 ? static_cast<std::size_t>(count) : 0);
  pending_.erase(0, start_);
  start_ = 0;
  pending_ += fresh_;
  if (count == 0 || (count < 0 && errno != EAGAIN && errno != EINTR)) at_end_ = true;
  return count > 0;
}

std::optional<std::string> LineReader::next_line()
{
  const std::size_t end = pending_.find('\n', start_);
  const std::size_t left = pending_.size() - start_;
  if (end == std::string::npos && left < kLongestLine && !(at_end_ && left > 0)) return std::nullopt;
  std::string line = pending_.substr(start_, end == std::string::npos ? end : end - start_);
  start_ = end == std::string::npos ? pending_.size() : end + 1;
  return line;
}

std::string without_colours(const std::string& line)
{
  std::string plain;
  for (std::size_t at = 0; at < line.size(); ++at) {
    if (line[at] != '\x1b') {
      plain += line[at];
      continue;
    }
    if (at + 1 >= line.size() || line[at + 1] != '[') continue;
    at += 2;  // a control sequence ends in a byte from '@' on
    while (at < line.size() && line[at] < '@')
      ++at;
  }
  if (plain.ends_with('\r')) plain.pop_back();
  return plain;
}

}  // namespace flashgate::app
